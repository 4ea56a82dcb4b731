import { expect, test } from 'vitest'
import { abortAfterHandshake } from './support/tls-abort.ts'

test.each([2, 4, 16, 64])('%d calls aborted right after the TLS handshake do not freeze the process', async (calls) => {
  expect(await abortAfterHandshake({ calls })).toBe('ended')
})
