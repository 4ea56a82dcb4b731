import type { Voice } from '@svc-audio/core/pure'
import { fieldLines } from '../../code/literal.ts'
import type { Snippet } from '../../code/snippet.ts'
import { speakersOf } from './create-task.ts'
import { DIALOGUE, type TaskDraft } from './draft.ts'

/** Code that creates the task of the form, follows it, and saves its result. */
export function tasksSnippets(
  draft: TaskDraft,
  voices: readonly Pick<Voice, 'id'>[],
  fileName = 'recording.wav',
): readonly Snippet[] {
  return [core(draft, voices, fileName), curl(draft, voices, fileName)]
}

function core(draft: TaskDraft, voices: readonly Pick<Voice, 'id'>[], fileName: string): Snippet {
  const { kind, format } = draft
  const transcribes = kind === 'transcription'
  const path = shellWord(fileName)
  return {
    kind: 'core',
    title: 'TypeScript',
    file: 'task.ts',
    install: 'npm install @svc-audio/core',
    run: transcribes ? `node task.ts ${path}` : 'node task.ts',
    code: `import { AudioClient } from '@svc-audio/core'

${transcribes ? `const [, , path = 'recording.wav'] = process.argv\n` : ''}const audio = new AudioClient()
${creation(draft, voices)}
console.log(\`Created \${task.id}\`)

// Ctrl+C cancels the task. The wait then rejects.
process.once('SIGINT', () => void task.cancel())

const ended = await task.wait({ onUpdate: ({ status }) => console.log(status) })
${
  transcribes
    ? 'console.log(ended.text)'
    : `const result = await audio.download(ended)
await result.saveTo('task.${format}')`
}
await audio.close()
`,
  }
}

function creation({ kind, text, voice, format }: TaskDraft, voices: readonly Pick<Voice, 'id'>[]): string {
  if (kind === 'transcription') {
    return `const task = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file: path })`
  }
  if (kind === 'speech') {
    const fields = { model: 'svc-tts-1.5-flash', input: text, voice_id: voice, response_format: format }
    return `const task = await audio.speech.createTask({\n${fieldLines(fields)}\n})`
  }
  const speakers = speakersOf(voices).map((speaker) => `    ${inline(speaker)},`)
  const segments = DIALOGUE.map((segment) => `    ${inline(segment)},`)
  return `const task = await audio.dialogue.createTask({
  model: 'svc-ttsd-1.0',
  speakers: [
${speakers.join('\n')}
  ],
  segments: [
${segments.join('\n')}
  ],
  response_format: '${format}',
})`
}

/** An object of texts on one line. */
function inline(fields: Readonly<Record<string, string>>): string {
  return `{ ${fieldLines(fields).replaceAll(/\n/g, ' ').trim().replace(/,$/, '').replaceAll(/ {2,}/g, ' ')} }`
}

function curl(draft: TaskDraft, voices: readonly Pick<Voice, 'id'>[], fileName: string): Snippet {
  const { kind, format } = draft
  const transcribes = kind === 'transcription'
  return {
    kind: 'curl',
    title: 'curl',
    file: 'task.sh',
    run: transcribes ? `sh task.sh ${shellWord(fileName)}` : 'sh task.sh',
    code: `set -e
read_field() { sed -n "s/.*\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p"; }

created=$(${transcribes ? curlForm() : curlBody(draft, voices)})
id=$(echo "$created" | read_field task_id)
echo "Created $id"

# Ctrl+C ends the script only. This cancels the task:
# curl --request DELETE "$SVC_AUDIO_BASE_URL/v1/audio/tasks/$id" --header "Authorization: Bearer $SVC_AUDIO_API_KEY"
while true; do
  task=$(curl --silent --show-error --fail-with-body "$SVC_AUDIO_BASE_URL/v1/audio/tasks/$id" \\
    --header "Authorization: Bearer $SVC_AUDIO_API_KEY")
  status=$(echo "$task" | read_field status)
  echo "$status"
  case "$status" in SUCCESS) break ;; FAILED) echo "$task"; exit 1 ;; esac
  sleep 1
done
${
  transcribes
    ? 'echo "$task" | read_field text'
    : `curl --silent --show-error --fail-with-body --output task.${format} "$(echo "$task" | read_field url)"`
}
`,
  }
}

function curlForm(): string {
  return `curl --silent --show-error --fail-with-body "$SVC_AUDIO_BASE_URL/v1/audio/transcriptions" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --form model=svc-transcribe-1.0 --form async=true \\
  --form "file=@\\"\${1:-recording.wav}\\""`
}

function curlBody({ kind, text, voice, format }: TaskDraft, voices: readonly Pick<Voice, 'id'>[]): string {
  const speech = { model: 'svc-tts-1.5-flash', input: text, voice_id: voice }
  const dialogue = { model: 'svc-ttsd-1.0', speakers: speakersOf(voices), segments: DIALOGUE }
  const body = { ...(kind === 'speech' ? speech : dialogue), response_format: format, async: true }
  const path = kind === 'speech' ? '/v1/audio/speech' : '/v1/audio/speech/speakers'
  return `curl --silent --show-error --fail-with-body "$SVC_AUDIO_BASE_URL${path}" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data-binary @- <<'JSON'
${JSON.stringify(body, undefined, 2)}
JSON
`
}

/** A word of a shell command. */
function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
