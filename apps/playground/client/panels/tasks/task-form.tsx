import type { ReactElement, ReactNode } from 'react'
import { FileDrop } from '../../components/file-drop.tsx'
import { Icon } from '../../components/icon.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { tabContentId, tabId, Tabs } from '../../components/tabs.tsx'
import { Counter, TextArea } from '../../components/text-area.tsx'
import { UploadProgress } from '../../components/upload-progress.tsx'
import { formatBytes } from '../../lib/format.ts'
import { lastSpeech } from '../../lib/last-speech.ts'
import { useStore } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { TaskFile } from './create-task.ts'
import { DIALOGUE, TASK_KINDS, type TaskDraft } from './draft.ts'
import { KIND_VIEWS } from './task-entry.ts'

/** Options of {@link TaskForm}. */
export interface TaskFormProps {
  readonly draft: TaskDraft
  readonly onChange: (draft: TaskDraft) => void
  /** The recording of a transcription. */
  readonly file: TaskFile | undefined
  readonly onFile: (file: TaskFile | undefined) => void
  /** Whether everything is there to create the task. */
  readonly ready: boolean
  readonly creating: boolean
  readonly onCreate: () => void
  readonly onStop: () => void
}

const PREFIX = 'task-kind'

/** What to create: speech, a dialogue or a transcription. */
export function TaskForm(props: TaskFormProps): ReactElement {
  const { draft, onChange, ready, creating, onCreate, onStop } = props
  const items = TASK_KINDS.map((id) => ({ id, ...KIND_VIEWS[id] }))
  return (
    <section className="editor task-form" aria-label="New task">
      <Tabs
        label="Kind of the task"
        prefix={PREFIX}
        items={items}
        selected={draft.kind}
        onSelect={(kind) => onChange({ ...draft, kind })}
        className="tabs-pills"
      />
      {TASK_KINDS.map((kind) => (
        <div
          key={kind}
          role="tabpanel"
          id={tabContentId(PREFIX, kind)}
          aria-labelledby={tabId(PREFIX, kind)}
          hidden={kind !== draft.kind}
        >
          {kind === draft.kind && <Content {...props} />}
        </div>
      ))}
      <div className="editor-foot">
        <FootText {...props} />
        <RunButton
          busy={creating}
          label="Create task"
          icon="plus"
          ready={ready}
          onRun={onCreate}
          onStop={onStop}
          hint
        />
      </div>
    </section>
  )
}

/** The length of the text, or the upload of the recording. */
function FootText({ draft, file, creating }: TaskFormProps): ReactElement {
  const { log } = usePanel()
  if (draft.kind === 'speech') return <Counter text={draft.text} />
  if (!creating || draft.kind === 'dialogue' || file === undefined) return <span className="counter" />
  return <UploadProgress log={log} name={file.name} size={file.data.size} next="Creating the task" />
}

function Content({ draft, onChange, file, onFile }: TaskFormProps): ReactNode {
  if (draft.kind === 'transcription') return <Recording file={file} onFile={onFile} />
  if (draft.kind === 'dialogue') {
    return (
      <ol className="task-script" aria-label="Sample script">
        {DIALOGUE.map(({ speaker, text }) => (
          <li key={text}>
            <b>{speaker}</b>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    )
  }
  return (
    <TextArea
      className="task-text"
      value={draft.text}
      placeholder="Type a text: a task may take as long as it needs."
      onChange={(text) => onChange({ ...draft, text })}
    />
  )
}

function Recording({ file, onFile }: Pick<TaskFormProps, 'file' | 'onFile'>): ReactElement {
  const speech = useStore(lastSpeech)
  const useSpeech = async (): Promise<void> => {
    if (speech !== undefined) onFile({ data: await speech.file(), name: speech.name })
  }
  if (file !== undefined) {
    return (
      <div className="task-file">
        <Icon name="file" />
        <span className="task-file-name">{file.name}</span>
        <span className="hint">{formatBytes(file.data.size)}</span>
        <button type="button" className="button button-quiet" onClick={() => onFile(undefined)}>
          <Icon name="cross" />
          Remove
        </button>
      </div>
    )
  }
  return (
    <div className="task-drop">
      <FileDrop
        title="Drop a recording here"
        label="Recording to transcribe"
        onFile={(data) => onFile({ data, name: data.name })}
      >
        <button type="button" className="button" disabled={speech === undefined} onClick={() => void useSpeech()}>
          <Icon name="arrow" />
          Use the last speech
        </button>
      </FileDrop>
    </div>
  )
}
