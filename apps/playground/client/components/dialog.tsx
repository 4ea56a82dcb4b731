import { type ReactElement, type ReactNode, useLayoutEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'

/** Options of {@link Dialog}. */
export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string
}

/** A window in front of the page. Escape and a click beside it close it. The focus returns to where it was. */
export function Dialog({ title, onClose, children, className = '' }: DialogProps): ReactElement {
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
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className="dialog-box">
        <div className="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="cross" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  )
}
