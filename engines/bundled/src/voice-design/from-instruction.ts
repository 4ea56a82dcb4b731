import type { BaseVoice, Timbre, VoiceManner, VoiceParameters } from '@svc-audio/engine-ports'
import { fitVoice } from './fit-voice.ts'

/** The effect of a word and its strength: 1 is the plain word, 0 a negated one. */
interface Wish {
  readonly effect: WordEffect
  readonly degree: number
}

/** Number of words that a negation covers: "not a very deep voice". */
const NEGATION_REACH = 4

/**
 * Designs a voice from an English description: who speaks, age, pitch, speed, emotion, size. The effects of known
 * words add up. Other words are ignored. Without a known word, a hash of the text selects one of many plain voices.
 * The same text always gives the same voice.
 * @param bases At least one.
 */
export function fromInstruction(text: string, bases: readonly BaseVoice[]): VoiceParameters {
  const wishes = readWishes(text)
  if (wishes.length === 0) return anyVoice(text, bases)
  const timbre = lastOf(wishes, 'timbre') ?? timbreOf(wishes)
  const ground = fitVoice({ timbre }, bases)
  const traits = bases.find(({ id }) => id === ground.base)?.traits
  return fitVoice(
    {
      timbre,
      pitchHz: pitchOf(wishes, USUAL_PITCH_HZ[timbre]),
      rangeSemitones: Math.max(ground.rangeSemitones, PLAIN_RANGE) * product(wishes, 'range'),
      size: product(wishes, 'size'),
      ...(traits === undefined ? {} : { syllablesPerSecond: traits.syllablesPerSecond * product(wishes, 'tempo') }),
    },
    bases,
  )
}

/**
 * Changes a voice by an English description. The effects of known words add up. Words about who speaks have no effect:
 * the voice stays the same one.
 * @returns `undefined` without a known word
 */
export function adjustVoice(text: string, voice: BaseVoice): VoiceManner | undefined {
  const wishes = readWishes(text)
  if (wishes.length === 0) return undefined
  const { timbre, pitchHz, rangeSemitones, syllablesPerSecond } = voice.traits
  const { base: _same, ...manner } = fitVoice(
    {
      timbre,
      pitchHz: pitchOf(wishes, pitchHz),
      rangeSemitones: rangeSemitones * product(wishes, 'range'),
      size: product(wishes, 'size'),
      syllablesPerSecond: syllablesPerSecond * product(wishes, 'tempo'),
    },
    [voice],
  )
  return manner
}

function pitchOf(wishes: readonly Wish[], usual: number): number {
  const semitones = wishes.reduce((total, { effect, degree }) => total + (effect.semitones ?? 0) * degree, 0)
  return (lastOf(wishes, 'pitchHz') ?? usual) * 2 ** (semitones / 12)
}

function product(wishes: readonly Wish[], part: 'range' | 'tempo' | 'size'): number {
  return wishes.reduce((total, { effect, degree }) => total * (effect[part] ?? 1) ** degree, 1)
}

/** Pitch of a speaker without a described pitch, in Hz. */
const USUAL_PITCH_HZ: Readonly<Record<Timbre, number>> = { male: 118, female: 200, robotic: 105 }

/** Standard deviation of plain reading, in semitones. */
const PLAIN_RANGE = 1.4

function readWishes(text: string): Wish[] {
  const tokens =
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/\p{L}+/gu) ?? []
  const wishes: Wish[] = []
  let degree = 1
  let negated = 0
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? ''
    const pair = `${token} ${tokens[at + 1] ?? ''}`
    const word = DEGREES.has(pair) || WORD_EFFECTS.has(pair) ? pair : token
    if (word === pair) at += 1
    const effect = WORD_EFFECTS.get(word)
    const strength = DEGREES.get(word)
    if (NEGATIONS.has(word)) negated = NEGATION_REACH
    else if (strength !== undefined) degree = strength
    if (effect !== undefined) {
      if (negated === 0) wishes.push({ effect, degree })
      degree = 1
      negated = 0
    }
    negated = Math.max(0, negated - 1)
  }
  return wishes
}

function lastOf<Part extends 'timbre' | 'pitchHz'>(wishes: readonly Wish[], part: Part): WordEffect[Part] | undefined {
  return wishes.findLast(({ effect }) => effect[part] !== undefined)?.effect[part]
}

/** The timbre of a description that names no speaker: a deep voice is a man's. */
function timbreOf(wishes: readonly Wish[]): Timbre {
  return wishes.some(({ effect }) => (effect.semitones ?? 0) <= -2) ? 'male' : 'female'
}

/** Selects one of many plain voices by a hash of the text. */
function anyVoice(text: string, bases: readonly BaseVoice[]): VoiceParameters {
  const next = numbersFrom(text.trim().toLowerCase())
  const between = (min: number, max: number): number => min + (max - min) * next()
  const timbre = next() < 0.5 ? 'male' : 'female'
  return fitVoice(
    {
      timbre,
      pitchHz: USUAL_PITCH_HZ[timbre] * 2 ** (between(-4, 4) / 12),
      rangeSemitones: between(1, 2),
      syllablesPerSecond: between(4.2, 5.2),
      size: between(0.95, 1.05),
    },
    bases,
  )
}

/** Returns numbers from 0 to 1 that depend only on the text: FNV-1a, then mulberry32. */
function numbersFrom(text: string): () => number {
  let state = 0x81_1c_9d_c5
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01_00_01_93)
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The effect of a word of an instruction. Effects of several words add up. Factors multiply. */
interface WordEffect {
  readonly timbre?: Timbre
  /** Usual pitch of this kind of speaker, in Hz. The last such word counts. */
  readonly pitchHz?: number
  /** Raises or lowers the pitch. */
  readonly semitones?: number
  /** Factor on the range of the pitch. */
  readonly range?: number
  /** Factor on the speaking rate. */
  readonly tempo?: number
  /** Factor on the length of the throat. */
  readonly size?: number
}

/** The vocabulary of instructions, as words separated by spaces. A plus sign joins two words to one term. */
const VOCABULARY: readonly (readonly [words: string, effect: WordEffect])[] = [
  // who
  ['man male masculine men gentleman guy he his husband father dad uncle king', { timbre: 'male', pitchHz: 118 }],
  ['woman female feminine women lady she her wife mother mom mum aunt queen', { timbre: 'female', pitchHz: 200 }],
  ['grandfather grandpa', { timbre: 'male', pitchHz: 112, tempo: 0.85 }],
  ['grandmother grandma granny', { timbre: 'female', pitchHz: 182, tempo: 0.85 }],
  ['boy', { timbre: 'female', pitchHz: 250, size: 0.9 }],
  ['girl', { timbre: 'female', pitchHz: 265, size: 0.9 }],
  ['child children kid kids childlike childish toddler', { timbre: 'female', pitchHz: 285, size: 0.88 }],
  ['robot robotic mechanical android machine computer synthetic', { timbre: 'robotic', pitchHz: 105, range: 0.3 }],
  // age
  ['young youthful teenage teenager teen adolescent', { semitones: 1, tempo: 1.06, size: 0.95 }],
  ['middle+aged mature adult', { semitones: -0.5 }],
  ['old elderly aged aging senior', { semitones: -1, tempo: 0.85, range: 1.1 }],
  // pitch
  ['low deep bass baritone low+pitched deep+voiced', { semitones: -4, size: 1.05 }],
  ['high shrill squeaky soprano high+pitched', { semitones: 4, size: 0.96 }],
  ['tenor', { semitones: 2 }],
  ['alto contralto', { semitones: -2 }],
  // speed
  ['slow slowly unhurried leisurely deliberate measured slow+paced', { tempo: 0.75 }],
  ['fast quick quickly rapid rapidly brisk hurried hasty fast+paced', { tempo: 1.3 }],
  // emotion and manner
  [
    'happy cheerful joyful excited bright upbeat enthusiastic energetic playful high+energy',
    { semitones: 1.5, range: 1.5, tempo: 1.1 },
  ],
  ['sad sorrowful melancholy gloomy depressed mournful tired weary', { semitones: -1.5, range: 0.6, tempo: 0.85 }],
  ['angry furious mad aggressive', { semitones: 1, range: 1.4, tempo: 1.12 }],
  ['scared afraid fearful nervous anxious worried panicked', { semitones: 2, range: 1.2, tempo: 1.15 }],
  [
    'calm relaxed soothing gentle soft peaceful warm tender quiet low+key',
    { semitones: -0.5, range: 0.75, tempo: 0.9 },
  ],
  ['serious formal professional solemn news newsreader', { semitones: -0.5, range: 0.85, tempo: 0.97 }],
  ['confident authoritative powerful commanding', { semitones: -1, range: 1.1 }],
  ['expressive lively dramatic animated theatrical varied', { range: 1.6 }],
  ['monotone monotonous flat bored emotionless cold', { range: 0.35 }],
  // size
  ['big large huge giant heavy', { semitones: -2, size: 1.1 }],
  ['small tiny little petite', { semitones: 2, size: 0.9 }],
]

/** Words that strengthen or weaken the next word, and their factors. */
export const DEGREES: ReadonlyMap<string, number> = new Map([
  ...words('very really extremely super so too').map((word) => [word, 1.5] as const),
  ...words('slightly somewhat rather fairly bit little+bit moderately').map((word) => [word, 0.5] as const),
])

/** Words that negate the next words. */
export const NEGATIONS: ReadonlySet<string> = new Set(words('not no never without nor isnt'))

/** The effect of each known word. A term of two words contains a space. */
export const WORD_EFFECTS: ReadonlyMap<string, WordEffect> = new Map(
  VOCABULARY.flatMap(([list, effect]) => words(list).map((word) => [word, effect] as const)),
)

function words(list: string): string[] {
  return list.split(' ').map((word) => word.replace('+', ' '))
}
