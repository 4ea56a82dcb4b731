import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'

/** A window in front of the page. Escape and a click beside it close it. The focus returns to where it was. */
export function Dialog(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}): ReactElement {
  const { title, onClose, children } = props
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Closing returns the focus. It must come before React removes the element, so this is a layout effect.
    return () => dialog?.close()
  }, [])
  return (
    // Escape is the keyboard's way: the browser handles it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={element}
      className="dialog box"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className="grid gap-4 pad-5">
        <div className="row between">
          <h2 id={id}>{title}</h2>
          <IconButton icon="cross" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

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
      <Dialog title={question.title} onClose={close}>
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
