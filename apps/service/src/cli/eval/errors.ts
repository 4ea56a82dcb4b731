import { distance } from 'fastest-levenshtein'

/** Errors of a text against its transcript. */
export interface TextErrors {
  /** Words that are missing, added or wrong. */
  readonly wordErrors: number
  /** Words of the transcript. */
  readonly words: number
  readonly characterErrors: number
  readonly characters: number
}

/** Counts the errors of a recognized text. Case, punctuation and spaces between words do not count. */
export function textErrors(transcript: string, heard: string): TextErrors {
  const [right, given] = [wordsOf(transcript), wordsOf(heard)]
  const codes = new Map<string, string>()
  const encode = (words: readonly string[]): string => words.map((word) => codeOf(codes, word)).join('')
  const [rightCharacters, givenCharacters] = [right.join(''), given.join('')]
  return {
    wordErrors: distance(encode(right), encode(given)),
    words: right.length,
    characterErrors: distance(rightCharacters, givenCharacters),
    characters: rightCharacters.length,
  }
}

/** Adds the errors of several recordings. */
export function sumErrors(all: readonly TextErrors[]): TextErrors {
  const sum = (key: keyof TextErrors): number => all.reduce((total, one) => total + one[key], 0)
  return {
    wordErrors: sum('wordErrors'),
    words: sum('words'),
    characterErrors: sum('characterErrors'),
    characters: sum('characters'),
  }
}

/** The words of a text in small letters, without punctuation. */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('\u2019', "'")
    .replaceAll(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim()
  return plain === '' ? [] : plain.split(' ')
}

/** A distance counts UTF-16 code units, so each distinct word is one. */
function codeOf(codes: Map<string, string>, word: string): string {
  const code = codes.get(word) ?? String.fromCharCode(codes.size + 1)
  codes.set(word, code)
  return code
}

/** A stretch of speech of one speaker. */
export interface Turn {
  readonly startSecond: number
  readonly endSecond: number
  readonly speaker: string
}

/** Errors of a diarization, in seconds of speech. */
interface DiarizationErrors {
  /** Missed speech, invented speech, and speech of another speaker. */
  readonly errorSeconds: number
  /** Speech of the reference. Speech of two speakers at the same time counts twice. */
  readonly speechSeconds: number
}

/** Frames in a second. */
const FRAMES = 100

/** Maximum speakers of a reference: the search for the best names doubles with each. */
const MAX_SPEAKERS = 16

/**
 * Reads the turns of an RTTM file.
 * @throws SyntaxError naming the line that is wrong
 */
export function readRttm(text: string): Turn[] {
  return text.split('\n').flatMap((line, index) => {
    const [type, , , start, duration, , , speaker] = line.trim().split(/\s+/)
    if (type !== 'SPEAKER') return []
    const [startSecond, seconds] = [Number(start), Number(duration)]
    if (!(startSecond >= 0 && seconds >= 0) || speaker === undefined)
      throw new SyntaxError(
        `line ${index + 1} must be: SPEAKER <file> <channel> <start> <duration> <NA> <NA> <speaker>`,
      )
    return [{ startSecond, endSecond: startSecond + seconds, speaker }]
  })
}

/**
 * Compares a diarization with its reference, frame by frame, without a tolerance at the edges. Names of speakers are
 * matched so that the errors are fewest.
 * @throws RangeError for a reference with more than 16 speakers
 */
export function diarizationErrors(reference: readonly Turn[], found: readonly Turn[]): DiarizationErrors {
  const names = [...new Set(reference.map(({ speaker }) => speaker))]
  if (names.length > MAX_SPEAKERS) throw new RangeError(`A reference has at most ${MAX_SPEAKERS} speakers`)
  const others = [...new Set(found.map(({ speaker }) => speaker))]
  const [right, given] = [framesOf(reference, names), framesOf(found, others)]
  const length = Math.max(right.length, given.length)
  const shared = names.map(() => others.map(() => 0))
  let [errors, speech] = [0, 0]
  for (let frame = 0; frame < length; frame += 1) {
    const [here, heard] = [right[frame] ?? [], given[frame] ?? []]
    speech += here.length
    errors += Math.max(here.length, heard.length)
    for (const name of here) for (const other of heard) addOne(shared[name], other)
  }
  return { errorSeconds: (errors - bestMatch(shared)) / FRAMES, speechSeconds: speech / FRAMES }
}

function addOne(row: number[] | undefined, index: number): void {
  if (row !== undefined) row[index] = (row[index] ?? 0) + 1
}

/** The speakers of each frame, by their numbers. */
function framesOf(turns: readonly Turn[], names: readonly string[]): number[][] {
  const frames: number[][] = []
  for (const { startSecond, endSecond, speaker } of turns) {
    const number = names.indexOf(speaker)
    for (let frame = Math.round(startSecond * FRAMES); frame < Math.round(endSecond * FRAMES); frame += 1) {
      const here = (frames[frame] ??= [])
      if (!here.includes(number)) here.push(number)
    }
  }
  return frames
}

/** The most frames that names can share, if each has at most one other: the best sum for each set of names so far. */
function bestMatch(shared: readonly (readonly number[])[]): number {
  const others = shared[0]?.length ?? 0
  let best = new Map([[0, 0]])
  for (let other = 0; other < others; other += 1) {
    const next = new Map(best)
    for (const [used, sum] of best) {
      for (const [name, row] of shared.entries()) {
        const bit = 1 << name
        if ((used & bit) !== 0) continue
        const total = sum + (row[other] ?? 0)
        if (total > (next.get(used | bit) ?? -1)) next.set(used | bit, total)
      }
    }
    best = next
  }
  return Math.max(...best.values())
}
