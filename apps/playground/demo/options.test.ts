import { describe, expect, test } from 'vitest'
import { UsageError } from '../server/options.ts'
import { createProgress } from './run-demo.ts'
import { HELP, readOptions } from './options.ts'

describe('the options', () => {
  test('speak a paragraph into a folder here, on a free port, unless others are given', () => {
    const { text, ...rest } = readOptions([]) ?? {}
    expect(rest).toEqual({ file: undefined, out: 'svc-audio-demo', port: 0 })
    expect(text?.split(/\s+/).length).toBeGreaterThan(40)
  })

  test.each([
    [['--text', 'Hello'], { text: 'Hello' }],
    [['--text=--file'], { text: '--file' }],
    [['--file', 'a b.wav'], { file: 'a b.wav' }],
    [['--', '--out', 'audio'], { out: 'audio' }],
    [['--port', '8080'], { port: 8080 }],
  ])('%j are read', (args, expected) => {
    expect(readOptions(args)).toMatchObject(expected)
  })

  test.each([['--help'], ['-h'], ['--help', '--text', '']])('%j asks for the help', (...args) => {
    expect(readOptions(args)).toBeUndefined()
  })

  test.each([
    [['--text', ' \n'], '--text is empty'],
    [['--text', 'a', '--file', 'b.wav'], '--text and --file exclude each other'],
    [['--port', 'x'], '--port must be a number from 0 to 65535, got x'],
    [['--voice', 'rms'], '--voice'],
    [['hello'], 'hello'],
    [['--text'], '--text'],
  ])('%j are refused by name', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError)
    expect(() => readOptions(args)).toThrow(message)
  })

  test('the help names every option', () => {
    for (const name of ['--text', '--file', '--out', '--port', '--help']) expect(HELP).toContain(`\n  ${name} `)
  })
})

describe('the progress', () => {
  class Output {
    readonly isTTY: boolean
    text = ''
    constructor(isTTY: boolean) {
      this.isTTY = isTTY
    }
    write(text: string): boolean {
      this.text += text
      return true
    }
  }

  async function show(isTTY: boolean, run: (update: (status: string) => void) => Promise<string>): Promise<string> {
    const output = new Output(isTTY)
    await createProgress(output as unknown as NodeJS.WriteStream)
      .step('Speech', run)
      .catch((error: Error) => (output.text += `<${error.message}>`))
    return output.text
  }
  const works = async (update: (status: string) => void): Promise<string> => {
    update('1.0 s')
    return '2.0 s'
  }
  const fails = async (): Promise<string> => {
    throw new Error('refused')
  }

  test('the progress of a pipe is one line at the start and one at the end', async () => {
    expect(await show(false, works)).toBe('· Speech       …\n✓ Speech       2.0 s\n')
  })

  test('the progress of a terminal is one line that is written over', async () => {
    const lines = (await show(true, works)).split('\r\u001B[K')
    expect(lines).toEqual(['', '· Speech       …', '· Speech       1.0 s', '✓ Speech       2.0 s\n'])
  })

  test('a failed step has no outcome, and its error goes on', async () => {
    expect(await show(false, fails)).toBe('· Speech       …\n<refused>')
    expect(await show(true, fails)).toMatch(/✗ Speech\s*<refused>$/)
  })

  test('the line of a terminal ends before the next step and before an error', async () => {
    expect(await show(true, works)).toMatch(/\n$/)
    expect(await show(true, fails)).toMatch(/\n<refused>$/)
  })
})
