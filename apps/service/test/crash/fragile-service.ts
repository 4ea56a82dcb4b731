// A service in a separate process whose speech engine takes a while over each text, and kills the process at a text
// with the word `poison`. Argument: its folder.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SpeechDriver } from '@svc-audio/engine-ports'
import { startService } from '../../src/index.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const

/** Milliseconds of a text: several are running when the process ends. */
const WORK_MS = 300

const FRAGILE: SpeechDriver = {
  name: 'fragile',
  voices: [{ id: 'one', name: 'One', language: 'en' }],
  create: async () => ({
    name: FRAGILE.name,
    voices: FRAGILE.voices,
    async synthesize({ text }, { signal } = {}) {
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- it has the text
      async function* speak(): AsyncGenerator<Uint8Array> {
        if (text.includes('poison')) process.kill(process.pid, 'SIGKILL')
        // The probe of a start is a short word.
        if (text.length > 10) await sleep(WORK_MS, undefined, { signal })
        yield new Uint8Array(3200)
      }
      return { format: FORMAT, chunks: speak() }
    },
    close: async () => undefined,
  }),
}

const [, , dataDir = ''] = process.argv
const apiKeys = new Map([['fragile-key', 'first']])
const service = await startService({ dataDir, port: 0, apiKeys, engines: { speech: FRAGILE } })
process.send?.(service.url)
// Without its parent, nobody would end this process.
process.once('disconnect', () => process.exit())
