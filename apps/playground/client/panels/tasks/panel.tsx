import { type ReactElement, useEffect, useState } from 'react'
import { Empty, FailureBox, StatusLine } from '../../components/states.tsx'
import { useDraft } from '../../lib/store.ts'
import { useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice, useVoices } from '../../voices/use-voices.ts'
import { FIRST_DRAFT, type TaskDraft, type TaskFile } from './draft.ts'
import { TaskForm, TaskSettings } from './task-form.tsx'
import { TaskList } from './task-list.tsx'
import { tasksSnippets } from './snippets.ts'
import { useTasks } from './tasks.ts'
import './tasks.css'

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
