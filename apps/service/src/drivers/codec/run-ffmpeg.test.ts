import { getEventListeners } from 'node:events'

import { expect, test, vi } from 'vitest'

import { isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { collect, pieces } from '../../../test/codec/sound.ts'
import { FfmpegError, FfmpegTimeoutError, processOf, runFfmpeg, type RunOptions } from './ffmpeg-process.ts'
import { spawnPiped } from './launcher.ts'

// The tests start processes, so the machine’s speed must not matter.
vi.setConfig({ testTimeout: 60_000 })

const LIMIT = { timeoutSeconds: 60 }
const { signal } = new AbortController()

/** A child process that runs this JavaScript. */
function child(code: string): ReturnType<typeof spawnPiped> {
  return spawnPiped(process.execPath, ['-e', code])
}

const run = (program: ReturnType<typeof child>, options: RunOptions): AsyncGenerator<Uint8Array> =>
  runFfmpeg(processOf(program), options)

/** Input slower than the time limit of the test. */
async function* slowly(items: number, pauseMs: number): AsyncGenerator<Uint8Array> {
  for (let item = 0; item < items; item += 1) {
    await new Promise((resolve) => void setTimeout(resolve, pauseMs))
    yield Buffer.from('x')
  }
}

test('input goes in, output comes out', async () => {
  const bytes = Buffer.alloc(3_000_000, 'abcdefg')
  const echo = child('process.stdin.pipe(process.stdout)')
  expect((await collect(run(echo, { ...LIMIT, signal, input: pieces(bytes) }))).equals(bytes)).toBe(true)
  expect(isAlive(echo.pid)).toBe(false)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('without input, standard input is at its end', async () => {
  const reader = child('process.stdin.on("end", () => process.stdout.write("end")).resume()')
  expect((await collect(run(reader, { ...LIMIT, signal }))).toString()).toBe('end')
})

test('an exit code gives an error with the end of standard error', async () => {
  const failing = child('process.stderr.write("x".repeat(100000) + "the end"); process.exitCode = 69')
  const error: unknown = await collect(run(failing, { ...LIMIT, signal })).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FfmpegError)
  expect(error).toMatchObject({
    exitCode: 69,
    exitSignal: undefined,
    stderr: expect.stringMatching(/^x{4089}the end$/),
  })
})

test('a signal gives an error too', async () => {
  const killed = child('process.kill(process.pid, "SIGTERM"); setInterval(() => 0, 1000)')
  await expect(collect(run(killed, { ...LIMIT, signal }))).rejects.toMatchObject({ exitSignal: 'SIGTERM' })
})

test('a missing program gives the system’s error', async () => {
  const missing = spawnPiped('/nowhere/ffmpeg', [])
  await expect(collect(run(missing, { ...LIMIT, signal }))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a program that does not read its input to the end may succeed', async () => {
  const deaf = child('process.stdin.destroy(); process.stdout.write("ok")')
  const input = pieces(Buffer.alloc(5_000_000))
  expect((await collect(run(deaf, { ...LIMIT, signal, input }))).toString()).toBe('ok')
})

test('a program that hangs is killed', async () => {
  const hanging = child('setInterval(() => 0, 1000)')
  await expect(collect(run(hanging, { timeoutSeconds: 0.2, signal }))).rejects.toThrow(FfmpegTimeoutError)
  expect(isAlive(hanging.pid)).toBe(false)
})

test('a program that hangs with its output closed is killed', async () => {
  const hanging = child('require("fs").closeSync(1); setInterval(() => 0, 1000)')
  await expect(collect(run(hanging, { timeoutSeconds: 2, signal }))).rejects.toThrow(FfmpegTimeoutError)
  expect(isAlive(hanging.pid)).toBe(false)
})

test('a helper process that holds the pipes open does not delay the end', async () => {
  const helper =
    'require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => 0, 4000)"], { stdio: "inherit" })'
  const parent = child(`${helper}; setInterval(() => 0, 1000)`)
  await expect(collect(run(parent, { timeoutSeconds: 1, signal }))).rejects.toThrow(FfmpegTimeoutError)
})

test('slow input and a slow reader do not use up its time', async () => {
  const echo = child('process.stdin.pipe(process.stdout)')
  // The whole run takes 4 s and more.
  const output = run(echo, { timeoutSeconds: 2, signal, input: slowly(20, 200) })
  let bytes = 0
  for await (const chunk of output) {
    bytes += chunk.byteLength
    await new Promise((resolve) => void setTimeout(resolve, 50))
  }
  expect(bytes).toBe(20)
})

test('a stalled reader makes the program wait', async () => {
  const endless = child(
    'const b = Buffer.alloc(65536); const w = () => { while (process.stdout.write(b)); }; process.stdout.on("drain", w); w(); process.stdin.resume()',
  )
  const output = run(endless, { ...LIMIT, signal })
  await output.next()
  await new Promise((resolve) => void setTimeout(resolve, 300))
  expect(endless.stdout.readableLength).toBeLessThan(1_000_000)
  await output.return(undefined)
  expect(isAlive(endless.pid)).toBe(false)
})

test('an error of the input ends the program and is thrown', async () => {
  const echo = child('process.stdin.pipe(process.stdout)')
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x')
    throw new Error('no more')
  }
  await expect(collect(run(echo, { ...LIMIT, signal, input: broken() }))).rejects.toThrow('no more')
  expect(isAlive(echo.pid)).toBe(false)
})
