// Plays a scripted room for half an hour against the voice pipeline; then speaks an hour, and lets an agent transcribe
// and read all of it. A length of 0 leaves a part out:
//   node packages/langchain-tools/test-hosts/soak/main.ts --room-seconds 1800 --seconds 3600
// --room names a room of the table: only rooms whose name has these words are measured.
// --no-live-rooms leaves out the table of rooms with other people, fans, coughs, echo and mutes, over a real WebSocket.
// With --melodies it first prints which melodies and which sentences end an answer.
import { parseArgs } from 'node:util'
import { DETECTORS, liveFaults, liveRooms, liveTable, measureRooms } from '../room/live-rooms.ts'
import { measureMelodies, melodyTable } from '../room/measure-melodies.ts'
import { growthOf, soakRoom, withService } from '../room/room-soak.ts'
import { roomHeader, roomLine } from '../room/room-table.ts'
import { readRecording } from './read-recording.ts'

/** Megabytes of live objects that half an hour may add: the history of the conversation. */
const MAX_GROWTH = 5

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3600' },
    'room-seconds': { type: 'string', default: '1800' },
    melodies: { type: 'boolean', default: false },
    'live-rooms': { type: 'boolean', default: true },
    room: { type: 'string', default: '' },
  },
  allowNegative: true,
})
if (values.melodies) console.log(melodyTable(await withService((client, folder) => measureMelodies(client, folder))))
const results = [
  !values['live-rooms'] || (await rooms()),
  await room(lengthOf('room-seconds')),
  await recording(lengthOf('seconds')),
]
process.exitCode = results.every(Boolean) ? 0 : 1

function lengthOf(option: 'seconds' | 'room-seconds'): number {
  const seconds = Number(values[option])
  if (seconds !== 0 && !(seconds >= 10 && seconds <= 86_400))
    throw new Error(`--${option} must be 0, or from 10 to 86400`)
  return seconds
}

/** @returns Whether the model finds the ends of turns in all rooms, and no turn hangs or is nobody's. */
function rooms(): Promise<boolean> {
  return withService(async (client, folder) => {
    const all = await liveRooms(client, folder)
    // Ends are compared with those of silence.
    const chosen = all.rooms.filter(({ name }, index) => index === 0 || name.includes(values.room))
    if (chosen.length === 1) throw new Error(`--room: no room has "${values.room}" in its name`)
    const voices = { ...all, rooms: chosen }
    const model = await measureRooms(client, voices, DETECTORS.model)
    const gate = await measureRooms(client, voices, DETECTORS.gate)
    console.log(liveTable({ 'with the model': model, 'by loudness': gate }))
    const faults = liveFaults(model)
    for (const fault of faults) console.log(fault)
    return faults.length === 0
  })
}

/** @returns Whether every event had its right end, in flat memory. */
async function room(seconds: number): Promise<boolean> {
  if (seconds === 0) return true
  console.log(roomHeader())
  const { rows, megabytes } = await soakRoom(seconds, (row) => console.log(roomLine(row)))
  const faults = rows.filter(({ fault }) => fault !== undefined).length
  const growth = growthOf(megabytes)
  console.log(
    `${rows.length} events, ${faults} with a fault. Memory after each run of the script, in MB: ` +
      `${megabytes.map((value) => value.toFixed(1)).join(' ')}. Growth: ${growth.toFixed(1)} of ${MAX_GROWTH} MB`,
  )
  return faults === 0 && growth <= MAX_GROWTH
}

/** @returns Whether the agent has read all of the recording, for one transcription. */
async function recording(seconds: number): Promise<boolean> {
  if (seconds === 0) return true
  const result = await readRecording({ seconds, log: (line) => void process.stderr.write(`${line}\n`) })
  console.log(JSON.stringify(result, undefined, 2))
  const { transcriptions, failures, ended, whole, wordErrorRate } = result
  return transcriptions === 1 && failures.length === 0 && ended && whole && wordErrorRate < 0.25
}
