// A process of a machine: speaks 15 times ten characters, three at the same time, against a budget of 100 for the day.
import { AudioClient } from '@svc-audio/core'
import { createSpeechOperations, memoryAudioStore } from '../../src/index.ts'
import { sqliteBudgetStore } from './sqlite-budget-store.ts'

const [file = '', baseUrl = '', apiKey = ''] = process.argv.slice(2)
const store = sqliteBudgetStore(file)
const client = new AudioClient({ apiKey, baseUrl })
const { operations } = createSpeechOperations({
  client,
  voice_id: 'rms',
  store: memoryAudioStore(),
  dailyBudget: { store, maxCharacters: 100 },
})
let [spoken, refused] = [0, 0]
for (let round = 0; round < 5; round += 1) {
  const calls = [1, 2, 3].map((run) => operations.speak.run({ text: 'Ten chars.' }, { run: `${round} ${run}` }))
  for (const { status } of await Promise.allSettled(calls)) {
    if (status === 'fulfilled') spoken += 1
    else refused += 1
  }
}
process.stdout.write(JSON.stringify({ spoken, refused }))
await client.close()
store.close()
