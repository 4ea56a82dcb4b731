import { modelsSnippets } from '../code/servers.ts'
import type { Snippet } from '../code/snippet.ts'
import { dialogueSnippets, FIRST_SCRIPT } from './dialogue/script.ts'
import { filesSnippets } from './files/snippets.ts'
import { FIRST_DRAFT as ROUND_TRIP, roundTripSnippets } from './round-trip/snippets.ts'
import { speechSnippets } from './speak/draft.ts'
import { talkSnippets } from './talk/snippets.ts'
import { FIRST_DRAFT as TASK, TASK_KINDS } from './tasks/draft.ts'
import { tasksSnippets } from './tasks/snippets.ts'
import { transcriptionSnippets } from './transcribe/snippets.ts'
import { FIRST_DRAFT as VOICES, VIEWS, voicesSnippets } from './voices/draft.ts'

/** The file that the programs of {@link printedPrograms} read. */
export const PRINTED_FILE = 'recording.wav'

/** What the Code tab of each view of the page prints, for the voices `rms` and `slt` and the file {@link PRINTED_FILE}. */
export function printedPrograms(): ReadonlyMap<string, readonly Snippet[]> {
  const speech = { text: 'Good morning.', voice: 'rms', model: 'svc-tts-1.5-flash', format: 'wav', speed: 1 }
  const recording = { keyterms: [], source: { file: PRINTED_FILE } }
  const tasks = TASK_KINDS.flatMap((kind) =>
    [false, true].map((webhook): readonly [string, readonly Snippet[]] => [
      `Tasks of ${kind}${webhook ? ' with a webhook' : ''}`,
      tasksSnippets({ ...TASK, kind, webhook, voice: 'rms' }, [{ id: 'rms' }, { id: 'slt' }], PRINTED_FILE),
    ]),
  )
  return new Map([
    ['Speak a file', speechSnippets({ ...speech, stream: false })],
    ['Speak a stream', speechSnippets({ ...speech, stream: true })],
    ['Transcribe', transcriptionSnippets({ ...recording, model: 'svc-transcribe-1.0', live: false })],
    ['Transcribe live', transcriptionSnippets({ ...recording, model: 'svc-transcribe-diarize-pro', live: true })],
    ['Dialogue', dialogueSnippets(FIRST_SCRIPT)],
    ['Talk', talkSnippets('rms')],
    ...VIEWS.map((view): readonly [string, readonly Snippet[]] => [
      `Voices: ${view}`,
      voicesSnippets({ ...VOICES, view, first: 'rms', second: 'slt' }),
    ]),
    ...tasks,
    ['Files', filesSnippets()],
    ['Models', modelsSnippets()],
    ['Round trip', roundTripSnippets({ ...ROUND_TRIP, voice: 'rms' })],
  ])
}
