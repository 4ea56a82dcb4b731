import { type ReactElement, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** A question before something that cannot be undone. */
export interface Question {
  readonly title: string
  readonly text: string
  /** The verb of the button, e.g. `Delete`. */
  readonly action: string
  readonly onConfirm: () => void
}

/** Asks questions in a dialog. Render `dialog` somewhere in the panel. */
export function useConfirm(): {
  readonly ask: (question: Question) => void
  readonly dialog: ReactElement | undefined
} {
  const [question, setQuestion] = useState<Question>()
  const close = (): void => setQuestion(undefined)
  const dialog =
    question === undefined ? undefined : (
      <Dialog title={question.title} onClose={close} className="dialog-small">
        <p className="muted">{question.text}</p>
        <div className="actions">
          {/* The harmless button comes first. */}
          <Button onClick={close}>Cancel</Button>
          <Button
            look="danger"
            onClick={() => {
              close()
              question.onConfirm()
            }}
          >
            {question.action}
          </Button>
        </div>
      </Dialog>
    )
  return { ask: setQuestion, dialog }
}
