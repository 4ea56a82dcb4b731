import { RAW, sox } from './sox.ts'

/** What plays a melody: a note of so many semitones above 440 Hz and so many seconds, as effects of sox. */
type Instrument = (semitones: number, seconds: number) => readonly string[]

/** The thresholds of the measure were chosen by sounds of one half. Tests use the other half. */
export type SoundHalf = 'chosen' | 'tested'

const hertz = (semitones: number): string => (440 * 2 ** (semitones / 12)).toFixed(2)

/** Attack and release of a note. */
function fade(seconds: number, attack = 0.01, release = 0.03): readonly string[] {
  return ['fade', 'q', String(Math.min(attack, seconds / 3)), String(seconds), String(Math.min(release, seconds / 3))]
}

/** A tone, and tones mixed with it. */
function tones(seconds: number, shape: string, frequencies: readonly string[]): readonly string[] {
  return frequencies.flatMap((frequency, index) => [
    'synth',
    String(seconds),
    shape,
    ...(index === 0 ? [] : ['mix']),
    frequency,
  ])
}

/** The frequency swings by so many hundredths of a semitone. @param swing Seconds from one end to the other. */
function vibrato(seconds: number, swing: number, cents: number): readonly string[] {
  const swings = Math.floor((seconds - 0.05) / swing)
  if (swings < 2) return []
  return ['bend', ...Array.from({ length: swings }, (_, index) => `0,${index % 2 ? -cents : cents},${swing}`)]
}

const triad = (semitones: number): readonly string[] => [0, 4, 7].map((step) => hertz(semitones + step))

/** Instruments and people by their half. */
export const INSTRUMENTS: Readonly<Record<SoundHalf, Readonly<Record<string, Instrument>>>> = {
  chosen: {
    sine: (note, seconds) => [...tones(seconds, 'sine', [hertz(note)]), ...fade(seconds)],
    square: (note, seconds) => [...tones(seconds, 'square', [hertz(note)]), ...fade(seconds)],
    'plucked string': (note, seconds) => tones(seconds, 'pluck', [hertz(note)]),
    organ: (note, seconds) => [...tones(seconds, 'sine', triad(note)), ...fade(seconds)],
    accordion: (note, seconds) => [
      ...tones(seconds, 'triangle', [hertz(note)]),
      'tremolo',
      '6',
      '50',
      ...fade(seconds, 0.04, 0.06),
    ],
    'violin with vibrato': (note, seconds) => [
      ...tones(seconds, 'sawtooth', [hertz(note)]),
      ...vibrato(seconds, 0.1, 50),
      'lowpass',
      '3000',
      ...fade(seconds, 0.05, 0.08),
    ],
    'low hum': (note, seconds) => [
      ...tones(seconds, 'sawtooth', [hertz(note - 24)]),
      'lowpass',
      '300',
      'lowpass',
      '900',
      'tremolo',
      '5',
      '15',
      ...fade(seconds, 0.05, 0.08),
    ],
    whistle: (note, seconds) => [
      ...tones(seconds, 'sine', [hertz(note + 12)]),
      'synth',
      String(seconds),
      'whitenoise',
      'mix',
      'bandpass',
      hertz(note + 12),
      '80',
      'tremolo',
      '6',
      '20',
      ...fade(seconds, 0.03, 0.05),
    ],
  },
  tested: {
    triangle: (note, seconds) => [...tones(seconds, 'triangle', [hertz(note)]), ...fade(seconds)],
    sawtooth: (note, seconds) => [...tones(seconds, 'sawtooth', [hertz(note)]), ...fade(seconds)],
    guitar: (note, seconds) => tones(seconds, 'pluck', triad(note)),
    'flute with vibrato': (note, seconds) => [
      ...tones(seconds, 'triangle', [hertz(note + 5)]),
      ...vibrato(seconds, 0.08, 35),
      ...fade(seconds, 0.05, 0.08),
    ],
    clarinet: (note, seconds) => [
      ...tones(seconds, 'square', [hertz(note - 12)]),
      'lowpass',
      '1800',
      'tremolo',
      '5',
      '25',
      ...fade(seconds, 0.03, 0.05),
    ],
    'high hum': (note, seconds) => [
      ...tones(seconds, 'sawtooth', [hertz(note - 12)]),
      'lowpass',
      '450',
      'lowpass',
      '1500',
      ...fade(seconds, 0.06, 0.06),
    ],
    'gliding whistle': (note, seconds) => [
      ...tones(seconds, 'sine', [`${hertz(note + 10)}:${hertz(note + 12)}`]),
      ...fade(seconds, 0.03, 0.05),
    ],
  },
}

/** Notes in semitones. */
const TUNES: Readonly<Record<SoundHalf, readonly (readonly number[])[]>> = {
  chosen: [
    [0, 2, 4, 5, 7, 7, 9, 9, 9, 9, 7],
    [4, 2, 0, 2, 4, 4, 4, 2, 2, 2, 4, 7, 7],
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  ],
  tested: [
    [0, 0, 7, 7, 9, 9, 7, 5, 5, 4, 4, 2, 2, 0],
    [7, 5, 4, 2, 0, 2, 4, 5, 7, 7, 7],
    [3, 2, 3, 2, 3, -2, 1, -1, -4],
  ],
}

/** Seconds of a beat, and how many of them each note in turn takes. */
const BEATS: Readonly<Record<SoundHalf, readonly number[]>> = { chosen: [0.18, 0.3, 0.5], tested: [0.22, 0.35, 0.6] }
const LENGTHS: readonly number[] = [1, 1, 2, 0.5, 1, 0.5, 1, 2]

/** A sound and what it is. */
export interface NamedSound {
  readonly name: string
  /** PCM of the room's format. */
  readonly pcm: Uint8Array
}

/** Every instrument of a half plays each tune in another tempo and key. */
export async function melodies(half: SoundHalf): Promise<readonly NamedSound[]> {
  return Promise.all(
    Object.entries(INSTRUMENTS[half]).flatMap(([name, instrument]) =>
      TUNES[half].map(async (tune, index) => ({
        name,
        pcm: await playTune(instrument, {
          notes: tune.map((note) => note + index * 3 - 5),
          beat: BEATS[half][index] ?? 0.3,
        }),
      })),
    ),
  )
}

/** About three seconds of a tune. */
export function playTune(
  instrument: Instrument,
  { notes, beat }: { readonly notes: readonly number[]; readonly beat: number },
): Promise<Uint8Array> {
  const count = Math.max(3, Math.round(3 / beat))
  const effects = notes
    .slice(0, count)
    .flatMap((note, index) => (index === 0 ? [] : [':']).concat(instrument(note, secondsOf(index, beat))))
  return sox(['-n'], effects).then((pcm) => sox([...RAW, '-'], ['gain', '-n', '-6'], pcm))
}

function secondsOf(index: number, beat: number): number {
  return Number(((LENGTHS[index % LENGTHS.length] ?? 1) * beat).toFixed(3))
}
