// Speaks an hour, and lets an agent transcribe and read all of it:
//   node packages/langchain-tools/test-hosts/soak/main.ts --seconds 3600
import { parseArgs } from 'node:util'
import { readRecording } from './read-recording.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3600' } } })
const seconds = Number(values.seconds)
if (!(seconds >= 10 && seconds <= 86_400)) throw new Error('--seconds must be from 10 to 86400')
const result = await readRecording({ seconds, log: (line) => void process.stderr.write(`${line}\n`) })
console.log(JSON.stringify(result, undefined, 2))
const { transcriptions, failures, ended, whole, wordErrorRate } = result
process.exitCode = transcriptions === 1 && failures.length === 0 && ended && whole && wordErrorRate < 0.25 ? 0 : 1
