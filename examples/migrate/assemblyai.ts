import { writeFile } from 'node:fs/promises'
import { AssemblyAI } from 'assemblyai'

const assembly = new AssemblyAI({ apiKey: process.env['ASSEMBLYAI_API_KEY'] ?? '' })
const show = (_text: unknown): void => {}

/** The text of a file. */
export async function transcribe(): Promise<string> {
  // #region text
  const { text, error } = await assembly.transcripts.transcribe({ audio: 'talk.mp3' })
  if (typeof text !== 'string') throw new Error(error)
  return text
  // #endregion
}

/** Who said what. */
export async function speakers(): Promise<void> {
  // #region speakers
  const { utterances, error } = await assembly.transcripts.transcribe({ audio: 'talk.mp3', speaker_labels: true })
  if (!utterances) throw new Error(error)
  for (const { speaker, text } of utterances) show(`${speaker}: ${text}`)
  // #endregion
}

/** Subtitles of a file. */
export async function subtitles(): Promise<void> {
  // #region subtitles
  const { id, status, error } = await assembly.transcripts.transcribe({ audio: 'talk.mp3' })
  if (status === 'error') throw new Error(error)
  await writeFile('talk.srt', await assembly.transcripts.subtitles(id, 'srt'))
  // #endregion
}

/** A long recording, in a job of the service. */
export async function job(url: string): Promise<string> {
  // #region task
  const { text, error } = await assembly.transcripts.transcribe({ audio: url })
  if (typeof text !== 'string') throw new Error(error)
  return text
  // #endregion
}
