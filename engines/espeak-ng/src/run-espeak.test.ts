import { EngineStuckError } from '@svc-audio/engine-ports'
import { expect, test } from 'vitest'
import { runEspeak } from './run-espeak.ts'

const { signal } = new AbortController()
const node = process.execPath

test('a program that writes nothing is ended after its time', async () => {
  const args = ['-e', 'setTimeout(() => 0, 600_000)']
  await expect(runEspeak({ program: node, args, signal, patience: 50 })).rejects.toThrow(EngineStuckError)
})

test('a program that never ends its output is ended', async () => {
  const args = ['-e', 'const more = () => process.stdout.write(Buffer.alloc(1 << 20), more); more()']
  await expect(runEspeak({ program: node, args, signal })).rejects.toThrow('wrote more than')
})

test('a program has no variable of this process but those to find itself and its data', async () => {
  process.env['SVC_AUDIO_TEST_SECRET'] = 'secret'
  try {
    const args = ['-e', 'process.stdout.write(Object.keys(process.env).join(","))']
    const names = (await runEspeak({ program: node, args, signal })).toString().split(',')
    expect(names).toContain('PATH')
    expect(names).not.toContain('SVC_AUDIO_TEST_SECRET')
  } finally {
    delete process.env['SVC_AUDIO_TEST_SECRET']
  }
})

test('work that was aborted before starts no program', async () => {
  const reason = new Error('aborted before')
  await expect(runEspeak({ program: 'no-such-program', args: [], signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  )
})
