import { pathField } from '../../../code/client-code.ts'
import { curlCommand, curlJson, curlSnippet } from '../../../code/curl.ts'
import { shellWord } from '../../../code/literal.ts'
import type { Snippet } from '../../../code/snippet.ts'
import type { TaskRequest } from './task-request.ts'

const QUIET = '--silent --show-error'

/** A script that creates the task, asks for its state until it has ended, and saves its result. */
export function curlTask(task: TaskRequest): Snippet {
  const transcribes = task.kind === 'transcription'
  return curlSnippet(
    'task.sh',
    `set -e
read_field() { sed -n "s/.*\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p"; }

created=$(${creation(task)})
id=$(echo "$created" | read_field task_id)
echo "Created $id"

# Ctrl+C ends the script only. This cancels the task:
# curl --request DELETE "$SVC_AUDIO_BASE_URL/v1/audio/tasks/$id" --header "Authorization: Bearer $SVC_AUDIO_API_KEY"
while true; do
  task=$(${curlCommand('/v1/audio/tasks/$id', [QUIET]).replaceAll('\n', '\n  ')})
  status=$(echo "$task" | read_field status)
  echo "$status"
  case "$status" in SUCCESS) break ;; FAILED) echo "$task"; exit 1 ;; esac
  sleep 1
done
${
  transcribes
    ? 'echo "$task" | read_field text'
    : `curl ${QUIET} --fail-with-body --output task.${task.format} "$(echo "$task" | read_field url)"`
}
`,
    transcribes ? shellWord(task.fileName) : '',
  )
}

function creation({ kind, settings, text }: TaskRequest): string {
  if (kind === 'transcription') {
    const form = ['--form model=svc-transcribe-1.0', '--form async=true', pathField('file')]
    return curlCommand('/v1/audio/transcriptions', [QUIET, ...form])
  }
  if (kind === 'speech') return curlJson('/v1/audio/speech', { input: text, ...settings, async: true }, [QUIET])
  return curlJson('/v1/audio/speech/speakers', { ...settings, async: true }, [QUIET])
}
