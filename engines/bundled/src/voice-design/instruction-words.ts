import type { Timbre } from '@svc-audio/engine-ports'

/** The effect of a word of an instruction. Effects of several words add up. Factors multiply. */
export interface WordEffect {
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
