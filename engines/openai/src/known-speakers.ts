import { RECOGNITION_SAMPLE_RATE, speakerLabel } from '@svc-audio/engine-ports'
import type { Piece } from './pieces.ts'
import { wavOf } from './upstream.ts'

/** What the API accepts: voices of a request, and the length of each sample, in seconds. */
const MOST_VOICES = 4
const SHORTEST_SECONDS = 2
const LONGEST_SECONDS = 10

/** A stretch of a piece in which one speaker talks. Times are those of the piece. */
interface SpokenStretch {
  readonly speaker: string
  readonly start: number
  readonly end: number
}

/**
 * Gives speakers the same label in all pieces of a recording. A server has other labels in each request, so
 * later requests carry a sample of each voice that is known. A speaker without a sample has a new label in each piece.
 */
export class KnownSpeakers {
  /** Labels by the name that requests use for a known voice. */
  readonly #samples = new Map<string, string>()
  #labels = 0

  /** The fields of the next request. */
  get fields(): (readonly [name: string, value: string])[] {
    return [...this.#samples].flatMap(([name, sample]) => [
      ['known_speaker_names[]', name] as const,
      ['known_speaker_references[]', sample] as const,
    ])
  }

  /** Learns from the response to a piece. @returns The label for each speaker of the response */
  learn(piece: Pick<Piece, 'samples'>, stretches: readonly SpokenStretch[]): ReadonlyMap<string, string> {
    const labels = new Map<string, string>()
    for (const { speaker } of stretches) {
      if (!labels.has(speaker)) labels.set(speaker, this.#samples.has(speaker) ? speaker : this.#newLabel())
    }
    for (const [speaker, label] of labels) {
      if (this.#samples.has(label) || this.#samples.size >= MOST_VOICES) continue
      const longest = stretches
        .filter((stretch) => stretch.speaker === speaker)
        .toSorted((a, b) => b.end - b.start - (a.end - a.start))[0]
      const sample = longest && sampleOf(piece.samples, longest)
      if (sample !== undefined) this.#samples.set(label, sample)
    }
    return labels
  }

  #newLabel(): string {
    this.#labels += 1
    return speakerLabel(this.#labels - 1)
  }
}

/** A sample as a data URL; `undefined` where the stretch is too short. */
function sampleOf(samples: Int16Array, { start, end }: SpokenStretch): string | undefined {
  const [from, to] = [start, Math.min(end, start + LONGEST_SECONDS)].map((second) =>
    Math.round(second * RECOGNITION_SAMPLE_RATE),
  )
  const cut = samples.slice(from, to)
  if (cut.length < SHORTEST_SECONDS * RECOGNITION_SAMPLE_RATE) return undefined
  return `data:audio/wav;base64,${Buffer.from(wavOf(cut)).toString('base64')}`
}
