import { nodeBinary } from '@svc-audio/kit/hosts'
import { describe, expect, test } from 'vitest'
import { abortAfterHandshake } from '../test/support/tls-abort.ts'

/** How often each number of calls is tried: 13 or 14 processes on each Node, 40 in all. */
const ROUNDS = { 22: [4, 3, 3, 3], 24: [4, 3, 3, 3], 26: [5, 3, 3, 3] } as const
const CALLS = [2, 4, 16, 64]

describe.each([22, 24, 26] as const)('on Node %d', (major) => {
  test('no process freezes when calls are aborted right after the TLS handshake', async () => {
    const node = await nodeBinary(major)
    const outcomes: string[] = []
    for (const [index, calls] of CALLS.entries()) {
      for (let round = 0; round < (ROUNDS[major][index] ?? 0); round += 1) {
        outcomes.push(await abortAfterHandshake({ calls, node }))
      }
    }
    const frozen = outcomes.filter((outcome) => outcome === 'frozen').length
    console.log(`Node ${major}: ${frozen} of ${outcomes.length} processes frozen`)
    expect(frozen).toBe(0)
  })
})

test('HTTP/2 of undici still freezes, which is why it is off: see docs/upstream', async () => {
  const node = await nodeBinary(24)
  expect(await abortAfterHandshake({ calls: 4, node, allowH2: true })).toBe('frozen')
})
