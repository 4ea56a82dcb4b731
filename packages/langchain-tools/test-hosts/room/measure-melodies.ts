import type { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { MelodyMeasure } from '@svc-audio/voice'
import { melodies, type NamedSound, type SoundHalf } from './melodies.ts'
import { FORMAT, RoomSounds } from './sounds.ts'

/** What sounds of a kind lead to, while an answer is spoken. */
export interface MelodyRow {
  readonly half: SoundHalf
  readonly kind: string
  readonly sounds: number
  /** The recognizer writes words for them: without the measure, they end the answer. */
  readonly withWords: number
  /** They end the answer with the measure: they have words, and are no melodies. */
  readonly ending: number
}

const VOICES: Readonly<Record<SoundHalf, readonly string[]>> = { chosen: ['rms', 'awb'], tested: ['slt', 'kal16'] }

/** What users say into an answer: single words, and whole questions. */
const SENTENCES: Readonly<Record<SoundHalf, readonly string[]>> = {
  chosen: ['No.', 'Wait a moment.', 'Yes please.', 'Hello?', 'I would rather take the bus.', 'How much is it?'],
  tested: [
    'Stop.',
    'Hold on.',
    'Never mind.',
    'One more question.',
    'What about tomorrow morning?',
    'Oh no, thank you.',
  ],
}

/** Loudness of the room's noise, in samples. */
const ROOM = 100

/**
 * Plays melodies and sentences to the recognizer and to the measure: how many end an answer without the measure, and with
 * it. No sound of the tested half was used to choose a threshold.
 */
export async function measureMelodies(
  client: AudioClient,
  folder: string,
  halves: readonly SoundHalf[] = ['chosen', 'tested'],
): Promise<readonly MelodyRow[]> {
  const rows: MelodyRow[] = []
  const sounds = new RoomSounds(client, folder)
  for (const half of halves) {
    const speech: NamedSound[] = []
    for (const voice of VOICES[half]) {
      for (const text of SENTENCES[half]) speech.push({ name: 'speech', pcm: await sounds.speech(text, voice) })
    }
    for (const [kind, ofKind] of Map.groupBy([...(await melodies(half)), ...speech], ({ name }) => name)) {
      let [withWords, ending] = [0, 0]
      for (const { pcm } of ofKind) {
        const recording = inRoom(pcm)
        const { text } = await client.transcriptions.create({
          model: 'svc-transcribe-1.0',
          file: encodeWav(FORMAT, [recording]),
        })
        if (text.trim() === '') continue
        withWords += 1
        if (!isMelody(recording)) ending += 1
      }
      rows.push({ half, kind, sounds: ofKind.length, withWords, ending })
    }
  }
  return rows
}

/** The table of the rows. */
export function melodyTable(rows: readonly MelodyRow[]): string {
  const lines = rows.map(({ half, kind, sounds, withWords, ending }) =>
    [half.padEnd(7), kind.padEnd(20), ...[sounds, withWords, ending].map((count) => String(count).padStart(6))].join(
      ' ',
    ),
  )
  return ['half    kind                 sounds  words ending', ...lines].join('\n')
}

/** The sound with what an utterance has around it: the noise of the room. */
function inRoom(pcm: Uint8Array): Uint8Array {
  const [before, after] = [0.3 * FORMAT.sampleRate, 0.6 * FORMAT.sampleRate]
  const sound = new Int16Array(Uint8Array.from(pcm.subarray(0, pcm.byteLength & ~1)).buffer)
  let seed = 1
  const samples = Int16Array.from({ length: before + sound.length + after }, (_, index) => {
    seed = (seed * 16_807) % 2_147_483_647
    const noise = (seed / 1_073_741_823 - 1) * ROOM
    return Math.max(-0x80_00, Math.min(0x7f_ff, (sound[index - before] ?? 0) + noise))
  })
  return new Uint8Array(samples.buffer)
}

function isMelody(recording: Uint8Array): boolean {
  const measure = new MelodyMeasure(FORMAT)
  for (let at = 0; at < recording.byteLength; at += 640) measure.push(recording.subarray(at, at + 640))
  return measure.isMelody
}
