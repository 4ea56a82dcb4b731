import { join } from 'node:path'
import { FirstAudio, type FirstAudioParts } from '../../packages/langchain-tools/test-hosts/room/first-audio.ts'
import {
  atMost,
  type BenchCase,
  type BenchRow,
  percentile,
  reported,
  rounds,
  type Verdict,
} from '../harness/bench-case.ts'
import { BENCH_KEY } from '../self-hosted/requests.ts'
import { Server } from '../self-hosted/server.ts'

/** Measured turns of each contestant. */
const TURNS = 20
/** Longest time from the last word to the first sample, without the model's first sentence, in milliseconds. */
const MOST_MILLISECONDS = 1200

const PARTS: readonly (readonly [name: string, part: keyof FirstAudioParts])[] = [
  ['end of speech found', 'endOfSpeech'],
  ['transcript', 'transcript'],
  ['first sentence', 'firstSentence'],
  ['first sample', 'firstSample'],
]

/** The pipeline, the pipeline that recognizes after the pause, and the same requests by hand. */
const CONTESTANTS = ['ours', 'after the pause', 'by hand'] as const

/** The voice pipeline: the first audible sample of an answer after the end of the user's speech. */
export const benchCase: BenchCase = {
  name: 'voice-first-audio',
  description:
    'voice pipeline: first audio after the end of the speech, with a model of 15 ms per character, next to its requests by hand',
  async run(context) {
    const server = await Server.service(context, join(context.folder, 'voice-first-audio'))
    const measured = await FirstAudio.prepare({ apiKey: BENCH_KEY, baseUrl: server.origin })
    try {
      const turns = await rounds(context, CONTESTANTS, TURNS, (contestant) =>
        contestant === 'by hand' ? measured.byHand() : measured.ofPipeline(contestant === 'ours'),
      )
      const row = (
        name: string,
        of: (parts: FirstAudioParts) => number,
        part: number,
        verdict: (ours: number) => Verdict = () => reported('a part of all'),
      ): BenchRow => {
        const value = (contestant: (typeof CONTESTANTS)[number]): number => percentile(turns[contestant].map(of), part)
        const [ours, limit, later] = [value('ours'), value('by hand'), value('after the pause')]
        const peers = { 'after the pause': later }
        return {
          name: `voice first audio, ${name}, p${part * 100}`,
          unit: 'ms',
          ours,
          limit,
          peers,
          ratio: ours / limit,
          ...verdict(ours),
        }
      }
      const rows: BenchRow[] = []
      for (const part of [0.5, 0.95]) {
        rows.push(
          row('all', sumOf, part, () => reported('with the first sentence')),
          row('without the first sentence', withoutSentence, part, (ours) =>
            atMost('ours', ours, MOST_MILLISECONDS, ' ms'),
          ),
          ...PARTS.map(([name, one]) => row(name, (parts) => parts[one], part)),
        )
      }
      return rows
    } finally {
      await measured.close()
      server.stop()
    }
  },
}

function withoutSentence({ endOfSpeech, transcript, firstSample }: FirstAudioParts): number {
  return endOfSpeech + transcript + firstSample
}

function sumOf(parts: FirstAudioParts): number {
  return withoutSentence(parts) + parts.firstSentence
}
