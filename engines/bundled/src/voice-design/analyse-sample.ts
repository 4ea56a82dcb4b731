import { type SampleLimits, type SampleTraits, UnusableSampleError } from '@svc-audio/engine-ports'
import { pitchOf } from './pitch.ts'
import { sampleFrames } from './sample-frames.ts'
import { quantile } from './statistics.ts'
import { LOUDNESS_RATE, speechFloor, syllableRate, toDecibels } from './syllables.ts'

/** Minimum time with a pitch, in seconds: a few vowels. */
const VOICED_SECONDS = 0.3
/** Enough time with a pitch, in seconds. It limits the work, not the length of a sample. */
const ENOUGH_SECONDS = 60
/** Pitch is measured in every second frame: it changes more slowly than the loudness. */
const PITCH_EVERY = 2
/** Frames at the end of a sample that cannot be measured: too few samples follow. */
const UNREAD_FRAMES = 3

/**
 * Measures the voice in a sample: 16 kHz mono PCM, 16-bit little-endian, in chunks of any size. Stores two numbers for
 * each 10 ms and none of the audio. Stops reading when the sample is too long.
 * @throws UnusableSampleError when the sample is too short or too long, or contains no voice
 */
export async function analyseSample(pcm: AsyncIterable<Uint8Array>, limits: SampleLimits): Promise<SampleTraits> {
  const energies: number[] = []
  const pitches: (number | undefined)[] = []
  let frames = UNREAD_FRAMES
  let voicedFrames = 0
  for await (const { around, energy } of sampleFrames(pcm)) {
    frames += 1
    if (frames > limits.maxSeconds * LOUDNESS_RATE) throw wrongLength('longer', limits)
    if (voicedFrames >= ENOUGH_SECONDS * LOUDNESS_RATE) continue
    const pitch = energies.length % PITCH_EVERY === 0 ? pitchOf(around) : pitches.at(-1)
    if (pitch !== undefined) voicedFrames += 1
    pitches.push(pitch)
    energies.push(energy)
  }
  if (frames < limits.minSeconds * LOUDNESS_RATE) throw wrongLength('shorter', limits)
  return describe(energies, pitches)
}

function describe(energies: readonly number[], pitches: readonly (number | undefined)[]): SampleTraits {
  const floor = speechFloor(energies.map(toDecibels))
  // Hum and reverberation have a pitch too.
  const heard = pitches.map((pitch, index) => (toDecibels(energies[index] ?? 0) > floor ? pitch : undefined))
  const voiced = heard.filter((pitch) => pitch !== undefined)
  const syllablesPerSecond = syllableRate({ energies, voiced: heard.map((pitch) => pitch !== undefined) })
  if (voiced.length < VOICED_SECONDS * LOUDNESS_RATE || !(syllablesPerSecond > 0)) {
    throw new UnusableSampleError('The sample contains no voice')
  }
  return { ...describePitch(voiced), syllablesPerSecond }
}

function describePitch(pitches: readonly number[]): Pick<SampleTraits, 'pitchHz' | 'rangeSemitones'> {
  const semitones = pitches.map((pitch) => 12 * Math.log2(pitch))
  // Two thirds of a normal distribution are within one deviation of its middle.
  const rangeSemitones = (quantile(semitones, 0.84) - quantile(semitones, 0.16)) / 2
  return { pitchHz: quantile(pitches, 0.5), rangeSemitones }
}

function wrongLength(than: 'shorter' | 'longer', { minSeconds, maxSeconds }: SampleLimits): UnusableSampleError {
  const limit = than === 'shorter' ? minSeconds : maxSeconds
  return new UnusableSampleError(`The sample is ${than} than ${limit} s`)
}
