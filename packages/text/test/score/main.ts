import { commonMarkScore } from './common-mark.ts'
import { corpusFiles, lostWords } from './corpus.ts'
import { ruleSetScore, type Score } from './rule-sets.ts'

// Prints how well text is read and split, measured on public material. Fetches the corpus on its first run.
const { asTheyStand, afterDeviations, wrong } = commonMarkScore()
print('CommonMark examples', asTheyStand)
print('CommonMark examples, documented deviations aside', afterDeviations)
for (const markdown of wrong) console.log(`  wrong: ${JSON.stringify(markdown)}`)
const english = await ruleSetScore('english')
print('Golden Rules (English)', english.golden)
print('English rule set', english.all)
print('German rule set', (await ruleSetScore('german')).all)

const files = await corpusFiles()
const lost = files.map((file) => ({ file, words: lostWords(file) })).toSorted((a, b) => b.words.length - a.words.length)
print('Files of the corpus that lose fewer than 20 words', {
  right: lost.filter(({ words }) => words.length < 20).length,
  of: files.length,
})
for (const { file, words } of lost.slice(0, 3)) {
  console.log(`  ${file.name}: ${words.length} words (${words.slice(0, 8).join(' ')})`)
}

function print(name: string, { right, of }: Score): void {
  console.log(`${name}: ${right} of ${of}`)
}
