import './tasks.css'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { FileDrop, LastSpeechButton } from '../../components/audio-input.tsx'
import { Button, Icon } from '../../components/button.tsx'
import { CheckField, Counter, Editor, FormatField, TextArea } from '../../components/form.tsx'
import { Empty, FailureBox, StatusLine, UploadProgress } from '../../components/states.tsx'
import { TabPanels, Tabs } from '../../components/tabs.tsx'
import { formatBytes } from '../../lib/format.ts'
import { useDraft } from '../../lib/store.ts'
import { usePanel, useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice, useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { DIALOGUE, FIRST_DRAFT, TASK_KINDS, type TaskDraft, type TaskFile } from './draft.ts'
import { tasksSnippets } from './snippets.ts'
import { KIND_VIEWS, useTasks } from './tasks.ts'
import { TaskList } from './task-list.tsx'

/** Asynchronous tasks. */
export function Panel(): ReactElement {
  const [stored, change] = useDraft('task-draft', FIRST_DRAFT)
  const [file, setFile] = useState<TaskFile>()
  const voices = useVoices()
  const draft = { ...stored, voice: useChosenVoice(stored) }
  const [selected, select] = useSelected('id')
  const tasks = useTasks(select)
  const { add } = tasks
  useEffect(() => {
    if (selected !== undefined) add(selected)
  }, [selected, add])
  const sent = { ...draft, webhook: draft.webhook && tasks.webhooks === true }
  const ready = isReady(draft, file)
  const create = (): void => tasks.create(sent, file, voices.data ?? [])
  return (
    <PanelFrame
      title="Tasks"
      about="Create work that takes its time, and read the result when it is there."
      settings={<TaskSettings draft={draft} change={change} webhooks={tasks.webhooks} />}
      code={() => tasksSnippets(sent, voices.data ?? [], file?.name)}
    >
      <TaskForm
        draft={draft}
        change={change}
        file={file}
        onFile={setFile}
        ready={ready}
        creating={tasks.creating}
        onCreate={create}
        onStop={tasks.stop}
      />
      <FailureBox failure={voices.failure} onRetry={voices.reload} />
      <FailureBox failure={tasks.failure} />
      <StatusLine text={tasks.status} />
      {tasks.entries.length === 0 ? (
        <Empty icon="tasks" title="No tasks yet">
          Create several: they run side by side, and continue when you close the page.
        </Empty>
      ) : (
        <TaskList tasks={tasks} selected={selected} onSelect={select} />
      )}
    </PanelFrame>
  )
}

/** Whether the form can be sent. Speech and dialogue need a voice, which loads first. */
function isReady({ kind, text, voice }: TaskDraft, file: TaskFile | undefined): boolean {
  if (kind === 'transcription') return file !== undefined
  return voice !== '' && (kind === 'dialogue' || text.trim() !== '')
}

/** Options of {@link TaskForm}. */
interface TaskFormProps {
  readonly draft: TaskDraft
  readonly change: (change: Partial<TaskDraft>) => void
  /** The recording of a transcription. */
  readonly file: TaskFile | undefined
  readonly onFile: (file: TaskFile | undefined) => void
  /** Whether everything is there to create the task. */
  readonly ready: boolean
  readonly creating: boolean
  readonly onCreate: () => void
  readonly onStop: () => void
}

/** What to create: speech, a dialogue or a transcription. */
function TaskForm(props: TaskFormProps): ReactElement {
  const { draft, change, ready, creating, onCreate, onStop } = props
  const tabs = { prefix: 'task-kind', selected: draft.kind }
  const run = { action: 'Create task', icon: 'plus', ready, onRun: onCreate, hint: true } as const
  return (
    <Editor label="New task" {...run} foot={<FootText {...props} />} job={{ busy: creating, stop: onStop }}>
      <Tabs
        {...tabs}
        label="Kind of the task"
        items={TASK_KINDS.map((id) => ({ id, ...KIND_VIEWS[id] }))}
        onSelect={(kind) => change({ kind })}
      />
      <TabPanels {...tabs} ids={TASK_KINDS}>
        {(_kind, shown) => shown && <Content {...props} />}
      </TabPanels>
    </Editor>
  )
}

/** The length of the text, or the upload of the recording. */
function FootText({ draft, file, creating }: TaskFormProps): ReactElement {
  const { log } = usePanel()
  if (draft.kind === 'speech') return <Counter text={draft.text} />
  if (!creating || draft.kind === 'dialogue' || file === undefined) return <span />
  return <UploadProgress log={log} name={file.name} size={file.data.size} next="Creating the task" />
}

function Content({ draft, change, file, onFile }: TaskFormProps): ReactNode {
  if (draft.kind === 'transcription') return <Recording file={file} onFile={onFile} />
  if (draft.kind === 'dialogue') {
    return (
      <ol className="task-script stack pad-5" aria-label="Sample script">
        {DIALOGUE.map(({ speaker, text }) => (
          <li key={text} className="row gap-3">
            <b className="muted">{speaker}</b>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    )
  }
  return (
    <TextArea
      value={draft.text}
      placeholder="Type a text: a task may take as long as it needs."
      onChange={(text) => change({ text })}
    />
  )
}

function Recording({ file, onFile }: Pick<TaskFormProps, 'file' | 'onFile'>): ReactElement {
  if (file !== undefined) {
    return (
      <div className="row gap-3 pad-item">
        <Icon name="file" />
        <span className="grow slim breaks">{file.name}</span>
        <span className="hint">{formatBytes(file.data.size)}</span>
        <Button icon="cross" look="quiet" onClick={() => onFile(undefined)}>
          Remove
        </Button>
      </div>
    )
  }
  return (
    <div className="pad-item">
      <FileDrop
        title="Drop a recording here"
        label="Recording to transcribe"
        onFile={(data) => onFile({ data, name: data.name })}
      >
        <LastSpeechButton onUse={onFile} />
      </FileDrop>
    </div>
  )
}

/** Voice, format and webhook of a new task. */
function TaskSettings(props: {
  readonly draft: TaskDraft
  readonly change: (change: Partial<TaskDraft>) => void
  /** Whether the service can call the playground. `undefined` until known. */
  readonly webhooks: boolean | undefined
}): ReactElement {
  const { draft, change, webhooks } = props
  return (
    <>
      {draft.kind === 'speech' && <VoicePicker value={draft.voice} onChange={(voice) => change({ voice })} />}
      {draft.kind !== 'transcription' && <FormatField value={draft.format} onChange={(format) => change({ format })} />}
      <CheckField
        label="Call a webhook"
        checked={draft.webhook && webhooks === true}
        disabled={webhooks !== true}
        onChange={(webhook) => change({ webhook })}
        hint={
          webhooks === false ? (
            <>
              This service cannot call the playground. Set <code>SVC_AUDIO_WEBHOOK_URL</code> to an HTTPS address that
              leads to <code>/hooks/audio</code> of this page.
            </>
          ) : (
            'The service calls the playground when the task ends. The list shows the call as it arrives.'
          )
        }
      />
    </>
  )
}
