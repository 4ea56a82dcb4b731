import type { ResponseFormat } from '@svc-audio/core/pure'
import { dialogueParameters, n8nSnippet } from '../../code/n8n-workflow.ts'
import {
  audioNode,
  type AudioRoute,
  callJson,
  coreAudio,
  curlAudio,
  expressAudio,
  nestAudioSnippet,
} from '../../code/servers.ts'
import { block, curlSnippet, langchainSnippet, type Snippet } from '../../code/snippet.ts'

/** Who speaks. */
export interface ScriptSpeaker {
  /** Id in the request, e.g. `A`. */
  readonly id: string
  readonly voice: string
}

/** One line of the script. */
export interface ScriptLine {
  /** Unique in the script. */
  readonly key: number
  /** Id of a speaker. */
  readonly speaker: string
  readonly text: string
}

/** What the Dialogue panel sends: all of it survives a reload. */
export interface Script {
  readonly speakers: readonly ScriptSpeaker[]
  readonly lines: readonly ScriptLine[]
  readonly format: ResponseFormat
}

/** Options of the parts of the panel. */
export interface ScriptProps {
  readonly script: Script
  readonly onChange: (script: Script) => void
}

/** Ids of speakers, in the order in which they are given. */
const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']

/** Maximum speakers of a script. The service may take fewer. */
export const MAX_SPEAKERS: number = LETTERS.length

/** The first script. */
export const FIRST_SCRIPT: Script = {
  speakers: [
    { id: 'A', voice: 'rms' },
    { id: 'B', voice: 'slt' },
  ],
  lines: [
    { key: 1, speaker: 'A', text: 'Did you hear the news about the old bridge?' },
    { key: 2, speaker: 'B', text: 'No, what happened to it?' },
    { key: 3, speaker: 'A', text: 'They are going to open it again in the spring.' },
  ],
  format: 'mp3',
}

/** The body of the request. Empty lines are left out, as are speakers without a line. */
export function dialogueBody({ speakers, lines, format }: Script): {
  readonly model: 'svc-ttsd-1.0'
  readonly speakers: readonly { readonly id: string; readonly voice_id: string }[]
  readonly segments: readonly { readonly speaker: string; readonly text: string }[]
  readonly response_format: ResponseFormat
} {
  const segments = lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ speaker, text }) => ({ speaker, text: text.trim() }))
  const heard = new Set(segments.map(({ speaker }) => speaker))
  return {
    model: 'svc-ttsd-1.0',
    speakers: speakers.filter(({ id }) => heard.has(id)).map(({ id, voice }) => ({ id, voice_id: voice })),
    segments,
    response_format: format,
  }
}

/** Whether there is anything to say. */
export function isEmpty({ lines }: Script): boolean {
  return lines.every(({ text }) => text.trim() === '')
}

/** Adds a line after another, or at the end. It is the next speaker's turn. */
export function addLine(script: Script, after: number = script.lines.length - 1): Script {
  const { speakers, lines } = script
  const before = speakers.findIndex(({ id }) => id === lines[after]?.speaker)
  const speaker = speakers[(before + 1) % speakers.length]?.id ?? 'A'
  const key = Math.max(0, ...lines.map((line) => line.key)) + 1
  return { ...script, lines: lines.toSpliced(after + 1, 0, { key, speaker, text: '' }) }
}

/** Changes a line. */
export function changeLine(script: Script, key: number, change: Partial<Omit<ScriptLine, 'key'>>): Script {
  return { ...script, lines: script.lines.map((line) => (line.key === key ? { ...line, ...change } : line)) }
}

/** Removes a line. A script keeps at least one. */
export function removeLine(script: Script, key: number): Script {
  const lines = script.lines.filter((line) => line.key !== key)
  return lines.length === 0 ? addLine({ ...script, lines }) : { ...script, lines }
}

/** Moves a line to an index. An index outside of the script changes nothing. */
export function moveLine(script: Script, key: number, to: number): Script {
  const from = script.lines.findIndex((line) => line.key === key)
  const line = script.lines[from]
  if (line === undefined || to < 0 || to >= script.lines.length || to === from) return script
  return { ...script, lines: script.lines.toSpliced(from, 1).toSpliced(to, 0, line) }
}

/** Adds a speaker with the next free letter. */
export function addSpeaker(script: Script, voice: string): Script {
  const taken = new Set(script.speakers.map(({ id }) => id))
  const id = LETTERS.find((letter) => !taken.has(letter))
  if (id === undefined) return script
  return { ...script, speakers: [...script.speakers, { id, voice }] }
}

/** Removes a speaker. The first of the others takes its lines. A script keeps at least one speaker. */
export function removeSpeaker(script: Script, id: string): Script {
  const speakers = script.speakers.filter((speaker) => speaker.id !== id)
  const [heir] = speakers
  if (heir === undefined) return script
  return {
    ...script,
    speakers,
    lines: script.lines.map((line) => (line.speaker === id ? { ...line, speaker: heir.id } : line)),
  }
}

/** Code that makes the dialogue on the screen. The Vite plugin reads texts in one voice, so it has none. */
export function dialogueSnippets(script: Script): readonly Snippet[] {
  const body = dialogueBody(script)
  const { segments, ...settings } = body
  const { speakers, response_format } = settings
  const output = `dialogue.${response_format}`
  const audio = { name: 'dialogue', resource: 'dialogue', body, output } as const
  // The server chooses voices and model, its callers choose the lines.
  const route: AudioRoute = {
    path: 'dialogue',
    resource: 'dialogue',
    settings: ['dialogue', settings],
    sent: { segments: 'segments' },
    types: { segments: 'DialogueSegment[]' },
  }
  const call = callJson('dialogue', { segments }, output)
  const lines = segments.map(({ speaker, text }) => ({ voice: speaker, text }))
  const voices = speakers.map(({ id, voice_id }) => ({ name: id, voice_id }))
  return [
    coreAudio(audio),
    curlSnippet('dialogue.sh', curlAudio(audio)),
    expressAudio(route, call),
    nestAudioSnippet(route, call),
    langchainSnippet({
      // The voice of the tool that speaks one text.
      options: { voice_id: speakers[0]?.voice_id ?? 'rms', voices },
      code: `const spoken = await toolkit.speakDialogue.invoke(${block({ lines })})
console.log(spoken)`,
    }),
    n8nSnippet('Dialogue', [audioNode('Dialogue', response_format, dialogueParameters(speakers, segments))]),
  ]
}
