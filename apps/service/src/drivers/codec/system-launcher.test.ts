import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { codecOver, watched } from '../../../test/codec/launchers.ts'
import { isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { smjpeg } from '../../../test/codec/smjpeg.ts'
import { collect, pieces, SPEECH_PCM, tone } from '../../../test/codec/sound.ts'
import { CodecUnavailableError, UndecodableAudioError } from '@svc-audio/engine-ports'
import { createCodec } from './create-codec.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { findSystemFfmpeg, parseEncoders } from './system-launcher.ts'

// The tests start processes, so the machine’s speed must not matter.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
let program: string
let record: string

/** A program that answers as ffmpeg does, records its arguments, and then runs `body`. */
async function fakeFfmpeg(body: string, encoders = 'libmp3lame libopus flac aac'): Promise<void> {
  const listing = encoders.split(' ').map((name) => ` A....D ${name}   an encoder`)
  await rm(program, { force: true })
  await writeFile(
    program,
    `#!${process.execPath}
    const fs = require('node:fs')
    const args = process.argv.slice(2)
    if (args.includes('-version')) console.log('ffmpeg version 9.9-fake Copyright (c) nobody')
    else if (args.includes('-encoders')) console.log(${JSON.stringify(listing.join('\n'))})
    else {
      fs.writeFileSync(${JSON.stringify(record)}, JSON.stringify({ args, env: process.env, cwd: process.cwd() }))
      ${body}
    }`,
  )
  await chmod(program, 0o755)
}

interface Call {
  readonly args: string[]
  readonly env: Record<string, string>
  readonly cwd: string
}

async function lastCall(): Promise<Call> {
  return JSON.parse(await readFile(record, 'utf8')) as Call
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  program = join(folder, 'ffmpeg')
  record = join(folder, 'call.json')
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => {
  vi.unstubAllEnvs()
})

test('only the audio encoders are read from the listing', () => {
  const listing = [
    'Encoders:',
    ' V..... = Video',
    ' A..... = Audio',
    ' ------',
    ' V....D libx264              H.264',
    ' A....D libmp3lame           MP3 (codec mp3)',
    ' A..X.. opus                 Opus',
    ' A....D pcm_s16le            PCM',
    ' S..... ass                  subtitles',
  ].join('\n')
  expect([...parseEncoders(listing)]).toEqual(['libmp3lame', 'opus', 'pcm_s16le'])
})

describe('finding', () => {
  test('a program that answers as ffmpeg is found and described', async () => {
    await fakeFfmpeg('')
    const launcher = await findSystemFfmpeg(program)
    expect(launcher).toMatchObject({ kind: 'system', program, version: '9.9-fake' })
  })

  test('the program on PATH is preferred', async () => {
    await fakeFfmpeg('')
    vi.stubEnv('PATH', folder)
    const codec = await createCodec()
    expect(codec.describe).toMatchObject({ launcher: 'system', version: '9.9-fake' })
    await codec.close()
  })

  test('the program on PATH without a needed encoder is the second choice', async () => {
    await fakeFfmpeg('', 'aac flac libopus')
    vi.stubEnv('PATH', folder)
    const codec = await createCodec()
    expect(codec.describe.launcher).toBe('wasm')
    await codec.close()
  })

  test('a program that is installed later is used from then on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await fakeFfmpeg('')
      vi.stubEnv('PATH', join(folder, 'empty'))
      const changes: string[] = []
      const codec = await createCodec({ onChange: ({ launcher }) => changes.push(launcher) })
      await vi.advanceTimersByTimeAsync(61_000)
      expect([codec.describe.launcher, changes]).toEqual(['wasm', []])
      vi.stubEnv('PATH', folder)
      await vi.waitFor(async () => {
        await vi.advanceTimersByTimeAsync(61_000)
        expect(changes).toEqual(['system'])
      })
      expect(codec.describe).toMatchObject({ launcher: 'system', version: '9.9-fake' })
      await codec.close()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a chosen program is used as it is, and names its missing encoders', async () => {
    await fakeFfmpeg('process.stdin.pipe(process.stdout)', 'aac')
    const codec = await createCodec({ ffmpegPath: program })
    expect(codec.describe.formats).toEqual(['aac', 'wav', 'pcm'])
    const mp3 = collect(codec.encode(pieces(tone(0.1)), { format: 'mp3', pcm: SPEECH_PCM }))
    await expect(mp3).rejects.toThrow(CodecUnavailableError)
    await expect(mp3).rejects.toThrow('libmp3lame')
  })

  test.for(['/nowhere/ffmpeg', process.execPath])('%s is not ffmpeg', async (other) => {
    expect(await findSystemFfmpeg(other)).toBeUndefined()
    await expect(createCodec({ ffmpegPath: other })).rejects.toThrow(CodecUnavailableError)
  })
})

/** The function `say` writes a text as decoded samples. */
const SAY = String.raw`say() {
  printf '\000\nSMJPEG\000\000\000\000\000\000\000\000sndD\000\000\000\000\000\000\000'
  printf "\\$(printf %03o ${'$'}{#1})"
  printf %s "$1"
}`

/** A shell program that answers as ffmpeg does; `body` decodes. */
async function shellFfmpeg(body: string): Promise<void> {
  const answers = '*-version*) echo "ffmpeg version 9.9-shell";; *-encoders*) echo " A....D aac  AAC";;'
  await rm(program, { force: true })
  await writeFile(program, `#!/bin/sh\n${SAY}\ncase "$*" in ${answers} *) ${body};; esac\n`)
  await chmod(program, 0o755)
}

function asDecoded(samples: string): string {
  return smjpeg([{ samples }]).toString('base64')
}

/** The output of the shell’s `ulimit -d` within the limits. */
const LIMIT = `${MAX_MEMORY_BYTES / 1024}`

describe.runIf(process.platform === 'linux')('limits', () => {
  test('are set when the program decodes within them', async () => {
    await shellFfmpeg('say "$(ulimit -d) $(ulimit -f)"')
    const codec = await createCodec({ ffmpegPath: program })
    expect(codec.describe.memoryBytes).toBe(MAX_MEMORY_BYTES)
    expect((await collect(codec.decode(program))).toString()).toBe(`${LIMIT} 0`)
  })

  test.each([
    ['of memory are dropped when it does not', `[ $(ulimit -d) != ${LIMIT} ] && say $(ulimit -f)`, '0'],
    ['are all dropped when it works with none of them', 'echo x > "$0.out" && say $(cat "$0.out")', 'x'],
    ['are dropped when its output is empty within them', `[ $(ulimit -f) = 0 ] || say free`, 'free'],
  ])('%s', async (_, body, decoded) => {
    await shellFfmpeg(body)
    const codec = await createCodec({ ffmpegPath: program })
    expect(codec.describe).not.toHaveProperty('memoryBytes')
    expect((await collect(codec.decode(program))).toString()).toBe(decoded)
  })

  test('that end the program differ from a shell that cannot find it', async () => {
    const file = `${program}.spin`
    await shellFfmpeg('say x; [ -e "$0.spin" ] && kill -XCPU $$')
    const codec = await createCodec({ ffmpegPath: program })
    await writeFile(file, 'sound')
    await expect(collect(codec.decode(file))).rejects.toThrow('Decoding the audio takes too long.')
    await rm(program)
    await expect(collect(codec.decode(file))).rejects.toThrow(CodecUnavailableError)
  })
})

describe('running', () => {
  test('it gets no secret of this process and no folder of the service', async () => {
    await fakeFfmpeg('process.stdin.pipe(process.stdout)')
    vi.stubEnv('SVC_AUDIO_TEST_SECRET', 'secret')
    const codec = await createCodec({ ffmpegPath: program })
    const encoded = await collect(codec.encode(pieces(tone(0.1)), { format: 'mp3', pcm: SPEECH_PCM, aigc: 'm' }))
    expect(encoded.equals(tone(0.1))).toBe(true)
    const { args, env, cwd } = await lastCall()
    expect(
      Object.keys(env).filter((name) => !['PATH', 'SystemRoot', '__CF_USER_TEXT_ENCODING'].includes(name)),
    ).toEqual([])
    expect(cwd).not.toContain('svc-audio')
    expect(args).toContain('AIGC=m')
    expect(args.at(-1)).toBe('pipe:1')
  })

  test('a file is named by its absolute path, as a plain file', async () => {
    await fakeFfmpeg(`process.stdout.write(Buffer.from(${JSON.stringify(asDecoded('pcm!'))}, 'base64'))`)
    const codec = await createCodec({ ffmpegPath: program })
    const path = join(folder, 'sound')
    await writeFile(path, 'x')
    expect((await collect(codec.decode(path))).toString()).toBe('pcm!')
    const { args } = await lastCall()
    expect(args[args.indexOf('-i') + 1]).toBe(`file:${path}`)
  })

  test('an ffmpeg that hangs over a file is killed, and the file is at fault', async () => {
    await fakeFfmpeg('setInterval(() => 0, 1000)')
    const found = await findSystemFfmpeg(program)
    if (found === undefined) throw new Error('the fake was not found')
    const { launcher, children } = watched(found)
    const codec = codecOver(launcher, { timeoutSeconds: 0.3 })
    for (let round = 0; round < 2; round += 1)
      await expect(collect(codec.decode(program))).rejects.toThrow(UndecodableAudioError)
    expect(children.map(({ pid }) => isAlive(pid))).toEqual([false, false])
  })

  test('an ffmpeg that is removed in the meantime makes the codec unavailable', async () => {
    await fakeFfmpeg('')
    const codec = await createCodec({ ffmpegPath: program })
    await rm(program)
    const mp3 = collect(codec.encode(pieces(tone(0.1)), { format: 'mp3', pcm: SPEECH_PCM }))
    await expect(mp3).rejects.toThrow(CodecUnavailableError)
  })
})
