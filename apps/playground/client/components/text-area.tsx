import { type ReactElement, type Ref, useId } from 'react'

/** Options of {@link TextArea}. */
export interface TextAreaProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
  readonly placeholder?: string
  /** Most characters of the trimmed text. A longer text is invalid, not cut. */
  readonly limit?: number
  /** Id of the counter. */
  readonly describedBy?: string
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** The text of an editor. Its label is for screen readers. */
export function TextArea(props: TextAreaProps): ReactElement {
  const { value, onChange, className = 'editor-short', placeholder, limit = Infinity, describedBy, ref } = props
  const id = useId()
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        Text
      </label>
      <textarea
        id={id}
        ref={ref}
        className={`editor-text ${className}`}
        value={value}
        placeholder={placeholder}
        aria-describedby={describedBy}
        aria-invalid={value.trim().length > limit}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  )
}

/** The length of a text: `1 character`, `5,000 characters`. */
export function Counter({ text, id }: { readonly text: string; readonly id?: string }): ReactElement {
  return (
    <span className="counter" id={id}>
      {text.length.toLocaleString('en')} {text.length === 1 ? 'character' : 'characters'}
    </span>
  )
}
