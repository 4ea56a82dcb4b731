import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ScratchFolder } from '../../../test/codec/containers.ts'
import { type Confinement, confined, confinements, MAX_MEMORY_BYTES } from './limits.ts'

let folder: ScratchFolder
beforeAll(async () => {
  folder = await ScratchFolder.create()
})
afterAll(() => folder.remove())

/** The output of a shell script that runs within limits. */
async function say(confinement: Confinement, script: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(...confined(confinement, '/bin/sh', ['-c', script, 'sh', ...args]))
  return stdout
}

test('the strictest limits come first, those of memory where the system enforces them', () => {
  expect(confinements('linux')).toEqual(['memory', 'files', 'none'])
  expect(confinements('darwin')).toEqual(['files', 'none'])
  expect(confinements('win32')).toEqual(['none'])
})

test('without limits the program starts directly', () => {
  expect(confined('none', 'ffmpeg', ['-i', 'x'])).toEqual(['ffmpeg', ['-i', 'x']])
})

describe.runIf(process.platform === 'linux')('a program within limits', () => {
  test('has its memory and processor time, and leaves no core', async () => {
    const limits = await say('memory', 'ulimit -d; ulimit -v; ulimit -t; ulimit -f; ulimit -c')
    expect(limits.trim().split('\n')).toEqual([`${MAX_MEMORY_BYTES / 1024}`, '2097152', '3600', '0', '0'])
  })

  test('gets no more memory', async () => {
    // A variable that doubles from 1 KB to 256 MB, beside its copies.
    const double = 'v=$(printf %1024s x); i=0; while [ $i -lt 18 ]; do v=$v$v; i=$((i+1)); done; echo all'
    expect(await say('files', double)).toBe('all\n')
    await expect(say('memory', double)).rejects.toThrow('Command failed')
  })

  test('cannot write into a file', async () => {
    const path = join(folder.path, 'written')
    await expect(say('files', 'echo text > "$1"', path)).rejects.toThrow('Command failed')
    expect(await readFile(path, 'utf8')).toBe('')
  })

  test('gets its arguments unchanged, in the started process', async () => {
    const args = ['$(echo x)', '`id`', '"; exit 3; "', "'", 'a b', '', '*', '$0', '-version', 'é中\n']
    expect(await say('memory', 'printf "%s|" "$@"', ...args)).toBe(`${args.join('|')}|`)
    const child = promisify(execFile)(...confined('memory', '/bin/sh', ['-c', 'echo $$']))
    expect((await child).stdout.trim()).toBe(String(child.child.pid))
  })

  test('that is missing ends with the shell’s exit code', async () => {
    await expect(promisify(execFile)(...confined('files', '/nowhere/ffmpeg', []))).rejects.toMatchObject({ code: 127 })
  })
})
