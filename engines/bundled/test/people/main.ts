// The diarizer on conversations of people: prints a table, and fails where it is worse than the documentation says.
// `--prints` measures it without the encoder, for comparison. `--each` prints each conversation. Words choose rows.
import { parseArgs } from 'node:util'
import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { createDiarizer } from '../../src/diarizer/diarizer-engine.ts'
import { scoreDiarization } from '../diarization/score.ts'
import { makeConversation, type Scene } from './conversation.ts'
import { fetchPeople } from './recordings.ts'

/** Conversations of each row. The diarizer was tuned on others. */
const SEEDS = Array.from({ length: 10 }, (_, index) => 701 + index)

interface Row {
  readonly name: string
  readonly scene: Scene
  /** Numbers of speakers, in turn. */
  readonly speakers: readonly number[]
  /** Maximum time that may be wrong, as a share of the speech. */
  readonly maxWrong: number
}

const clean: Scene = { telephone: false, overlaps: 0 }
const telephone: Scene = { telephone: true, overlaps: 0 }

const ROWS: readonly Row[] = [
  { name: 'one, clean', scene: clean, speakers: [1], maxWrong: 0.1 },
  { name: 'one, telephone', scene: telephone, speakers: [1], maxWrong: 0.1 },
  { name: 'two, clean', scene: clean, speakers: [2], maxWrong: 0.1 },
  { name: 'four, clean', scene: clean, speakers: [4], maxWrong: 0.1 },
  { name: 'two, telephone', scene: telephone, speakers: [2], maxWrong: 0.1 },
  { name: 'four, telephone', scene: telephone, speakers: [4], maxWrong: 0.1 },
  { name: 'overlap', scene: { ...clean, overlaps: 0.35 }, speakers: [2, 4], maxWrong: 0.1 },
  { name: 'overlap, telephone', scene: { ...telephone, overlaps: 0.35 }, speakers: [2, 4], maxWrong: 0.12 },
  { name: 'hiss at 15 dB, telephone', scene: { ...telephone, noiseDecibels: 15 }, speakers: [2, 4], maxWrong: 0.2 },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { prints: { type: 'boolean', default: false }, each: { type: 'boolean', default: false } },
})
const graph = values.prints ? false : undefined
const rows = ROWS.filter(({ name }) => positionals.every((part) => name.includes(part)))
const people = await fetchPeople()
const engine = createDiarizer({ workers: 1, othersWait: () => false, ...(graph === false && { graph }) })
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
let failed = false
console.log('| Conversations | Time wrong | Right number of speakers | Work ÷ length |\n| --- | --- | --- | --- |')
for (const { name, scene, speakers, maxWrong } of rows) {
  let [wrong, counted, work, length] = [0, 0, 0, 0]
  const notes: string[] = []
  for (const [index, seed] of SEEDS.entries()) {
    const count = speakers[index % speakers.length] ?? 1
    const { samples, spans, names } = makeConversation(new Random(seed * 10 + count), people, count, scene)
    const before = process.cpuUsage()
    const { segments, durationSeconds } = await engine.diarize(chunked(samples))
    const { user, system } = process.cpuUsage(before)
    const { right, extra, found } = scoreDiarization(spans, segments)
    const share = 1 - right + extra
    wrong += share / SEEDS.length
    if (found === count) counted += 1
    notes.push(`${found}/${count} ${percent(share)} ${names.join(' ')}`)
    work += (user + system) / 1e6
    length += durationSeconds
  }
  console.log(`| ${name} | ${percent(wrong)} | ${counted} of ${SEEDS.length} | ${(work / length).toFixed(3)} |`)
  if (values.each) console.log(notes.join('\n'))
  if (wrong > maxWrong) failed = true
}
await engine.close()
if (failed && graph !== false) process.exitCode = 1
