import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSigner } from './result-links.ts'

test.each([0, 1, 43, 63, 64, 65, 200])('a link is signed by HMAC-SHA-256 with a key of %i bytes', (length) => {
  const secret = 'é'.repeat(length >> 1) + 'k'.repeat(length % 2)
  const sign = createSigner(secret)
  for (const text of ['', 'task_1.wav\n1800000000', 'ü'.repeat(300)]) {
    expect(sign(text)).toBe(createHmac('sha256', secret).update(text).digest('base64url'))
  }
})
