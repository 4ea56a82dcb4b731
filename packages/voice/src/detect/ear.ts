import { type PcmFormat, Resampler } from '@svc-audio/core/audio'
import { SPEECH_FRAME_SAMPLES, type SpeechDetector } from './speech-detector.ts'

/** Frames per second: one frame is 20 ms. */
export const FRAMES_PER_SECOND = 50

/** Sound this much above the room, in dB, may be speech. */
const START_HEIGHT = 14
/** Speech continues down to this height above the room: the ends of words are soft. */
const STAY_HEIGHT = 9
/** Sound less than this above the room is the room, in dB: the detector is not asked, so that silence costs nothing. */
const WORTH_HEIGHT = 4
/** Level of a room before it is known, in dB below full scale. */
const USUAL_ROOM = -48
/** The quietest room that counts. Below it is the noise of the microphone itself. */
const QUIETEST_ROOM = -58
/** A room as loud as speech: a user must be heard over any music. */
const LOUDEST_ROOM = -26
/** Level of samples that are all zero: a muted microphone, which tells nothing about the room. */
const MUTED = -100
/** Frames in an average: a gap between sounds. */
const SMOOTHED_FRAMES = 3
/** The past that tells the room, in blocks of half a second: longer than a speaker's breath. */
const BLOCK_FRAMES = FRAMES_PER_SECOND / 2
const BLOCKS = 12

/** Probabilities of speech with which it begins and continues, as Silero's authors advise. */
const BEGINS = 0.5
const CONTINUES = 0.35

/** Sound that is this much softer than the loud parts of an utterance is somebody else, in dB: the end may come. */
const SOFTER = 16
/** A new utterance is at most this much softer than the last one, in dB, while other sound continues. */
const OTHER_VOICE = 15
/** The same after silence: nobody else speaks. */
const SAME_VOICE = 26
/** Frames without sound that count as silence. */
const SILENCE_FRAMES = FRAMES_PER_SECOND
/**
 * Frames for which the loudness of an utterance is remembered in full: longer than most answers, into which other people
 * must not speak. Then it fades, in dB per second.
 */
const REMEMBERED_FRAMES = 30 * FRAMES_PER_SECOND
const FADING = 0.5
/** An utterance that is louder counts as this loud, in dB below full scale: a slam must not deafen the ear. */
const LOUDEST_VOICE = -9

/** Level of the room: the quietest moment of the last six seconds. */
class Room {
  readonly #last: number[] = []
  readonly #blocks: { low: number; frames: number }[] = []

  /** In dB below full scale. */
  get level(): number {
    const lowest = this.#blocks.length === 0 ? USUAL_ROOM : Math.min(...this.#blocks.map(({ low }) => low))
    return Math.min(Math.max(lowest, QUIETEST_ROOM), LOUDEST_ROOM)
  }

  /** @returns the level of the last frames */
  push(level: number): number {
    this.#last.push(level)
    if (this.#last.length > SMOOTHED_FRAMES) this.#last.shift()
    const smoothed = this.#last.reduce((sum, value) => sum + value, 0) / this.#last.length
    if (this.#last.length < SMOOTHED_FRAMES) return smoothed
    const block = this.#blocks.at(-1)
    if (block !== undefined && block.frames < BLOCK_FRAMES) {
      block.low = Math.min(block.low, smoothed)
      block.frames += 1
      return smoothed
    }
    this.#blocks.push({ low: smoothed, frames: 1 })
    if (this.#blocks.length > BLOCKS) this.#blocks.shift()
    return smoothed
  }
}

/**
 * Tells the user's speech from everything else, frame by frame: by a detector of speech, or else by loudness above the
 * room; and from other people by the loudness of the user's own utterances.
 */
export class Ear {
  readonly #room = new Room()
  readonly #detector: FrameJudge | undefined
  #isOpen = false
  #frame = 0
  /** Frames since the last sound. */
  #silence = SILENCE_FRAMES
  /** Loudness of the utterance so far. */
  #loud = -Infinity
  /** Loudness of the last utterance, and its frame. */
  #voice: { readonly level: number; readonly frame: number } | undefined

  /** @param detector Detector of speech. Without it, loudness decides. */
  constructor(format: PcmFormat, detector: SpeechDetector | undefined) {
    this.#detector = detector === undefined ? undefined : new FrameJudge(format, detector)
  }

  /** Loudness of the utterance so far, in dB below full scale. */
  get loud(): number {
    return this.#loud
  }

  /** @returns its loudness, in dB below full scale, and whether it is the user's speech */
  async push(samples: Int16Array): Promise<{ readonly level: number; readonly isSpeech: boolean }> {
    this.#frame += 1
    const level = levelOf(samples)
    const room = this.#room.level
    const isQuiet = level <= room + WORTH_HEIGHT && this.#loud === -Infinity
    const probability = await this.#detector?.push(samples, isQuiet)
    if (level <= MUTED) {
      this.#silence += 1
      return { level, isSpeech: (this.#isOpen = false) }
    }
    const smoothed = this.#room.push(level)
    const isSound = level > room + (this.#isOpen ? STAY_HEIGHT : START_HEIGHT)
    const isVoice = probability === undefined ? isSound : probability >= (this.#isOpen ? CONTINUES : BEGINS)
    this.#isOpen = isVoice && level > this.#lowest
    if (this.#isOpen && this.#loud !== -Infinity) this.#loud = Math.max(this.#loud, smoothed)
    // The soft words of other people are no silence.
    this.#silence = isVoice || level > room + STAY_HEIGHT ? 0 : this.#silence + 1
    return { level: smoothed, isSpeech: this.#isOpen }
  }

  /** An utterance begins. @param level Its loudness so far. */
  begin(level: number): void {
    this.#loud = level
  }

  /** The utterance is over. @returns forgets its loudness: it was not the user's */
  end(): () => void {
    const before = this.#voice
    const voice = { level: Math.min(this.#loud, LOUDEST_VOICE), frame: this.#frame }
    this.#voice = voice
    this.#loud = -Infinity
    return () => {
      if (this.#voice === voice) this.#voice = before
    }
  }

  /** Sound below this level is not the user. */
  get #lowest(): number {
    if (this.#loud !== -Infinity) return this.#loud - SOFTER
    if (this.#voice === undefined) return -Infinity
    const { level, frame } = this.#voice
    const faded = (Math.max(0, this.#frame - frame - REMEMBERED_FRAMES) / FRAMES_PER_SECOND) * FADING
    return level - (this.#silence >= SILENCE_FRAMES ? SAME_VOICE : OTHER_VOICE) - faded
  }
}

/** Whether a level is above the softest part of speech as loud as this. */
export function isAsLoud(level: number, loud: number): boolean {
  return level > loud - SOFTER
}

/** Loudness of 16-bit samples, in dB below full scale. Zeros are -100. */
function levelOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const power = sum / Math.max(samples.length, 1) / 0x80_00 ** 2
  return power < 1e-10 ? MUTED : 10 * Math.log10(power)
}

/** Hands frames of any rate and length to a detector. */
class FrameJudge {
  readonly #detector: SpeechDetector
  readonly #resampler: Resampler | undefined
  readonly #frame = new Int16Array(SPEECH_FRAME_SAMPLES)
  #filled = 0
  #probability = 0
  #isQuiet = true

  constructor({ sampleRate }: PcmFormat, detector: SpeechDetector) {
    this.#detector = detector
    this.#resampler = sampleRate === 16_000 ? undefined : new Resampler(sampleRate, 16_000)
  }

  /**
   * @param isQuiet Whether the samples are nothing but the room. A frame of them alone is not judged.
   * @returns the probability of speech in the last frame that is complete
   */
  async push(samples: Int16Array, isQuiet: boolean): Promise<number> {
    this.#isQuiet &&= isQuiet
    for (const sample of this.#at16kHz(samples)) {
      this.#frame[this.#filled] = sample
      this.#filled += 1
      if (this.#filled < SPEECH_FRAME_SAMPLES) continue
      this.#filled = 0
      this.#probability = this.#isQuiet ? 0 : await this.#detector.judge(this.#frame.slice())
      this.#isQuiet = isQuiet
    }
    return this.#probability
  }

  #at16kHz(samples: Int16Array): Int16Array {
    if (this.#resampler === undefined) return samples
    const numbers = this.#resampler.push(Float32Array.from(samples, (sample) => sample / 0x80_00))
    return Int16Array.from(numbers, (number) => Math.max(-0x80_00, Math.min(0x7f_ff, Math.round(number * 0x80_00))))
  }
}
