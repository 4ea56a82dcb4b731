import type { ResponseFormat } from '@svc-audio/core/pure'
import { type ReactElement, type ReactNode, type Ref, useId } from 'react'
import type { Job } from '../lib/calls.ts'
import { usePanel, useRun } from '../shell/panel-context.ts'
import { RunButton, type RunButtonProps } from './button.tsx'
import { FailureBox, StatusLine } from './states.tsx'

/** Options of {@link Field}. */
export interface FieldProps {
  readonly label: string
  /** Beside the label: the value or a counter. */
  readonly value?: ReactNode
  /** Below the control. */
  readonly hint?: ReactNode
  /** Renders the control with the given ids. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby'?: string }) => ReactNode
}

/** A control with its label and its hint. */
export function Field({ label, value, hint, children }: FieldProps): ReactElement {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="field">
      <div className="row between gap-3">
        <label className="strong small" htmlFor={id}>
          {label}
        </label>
        {value !== undefined && <span className="clock">{value}</span>}
      </div>
      {children(hint === undefined ? { id } : { id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** A text with its label. */
export function TextField(
  props: Omit<FieldProps, 'children' | 'value'> & {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly placeholder?: string
    /** Lines of a long text. @default one line */
    readonly rows?: number
  },
): ReactElement {
  const { label, hint, value, onChange, placeholder, rows } = props
  const change = (event: { readonly target: { readonly value: string } }): void => onChange(event.target.value)
  return (
    <Field label={label} hint={hint}>
      {(ids) =>
        rows === undefined ? (
          <input {...ids} type="text" value={value} placeholder={placeholder} onChange={change} />
        ) : (
          <textarea {...ids} rows={rows} value={value} placeholder={placeholder} onChange={change} />
        )
      }
    </Field>
  )
}

/** A choice of a {@link SelectField}. */
export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** Options of {@link SelectField}. */
export interface SelectFieldProps<Value extends string> extends Omit<FieldProps, 'children' | 'value'> {
  readonly value: Value
  readonly options: readonly SelectOption<Value>[]
  readonly onChange: (value: Value) => void
}

/** A choice among a few values. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>): ReactElement {
  const { label, value, options, onChange, hint } = props
  const choose = (text: string): void => {
    const option = options.find((one) => one.value === text)
    if (option !== undefined) onChange(option.value)
  }
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => choose(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The options of a choice whose values name themselves. */
export function named<Value extends string>(...values: readonly Value[]): readonly SelectOption<Value>[] {
  return values.map((value) => ({ value, label: value }))
}

/** The formats of audio files that the service makes (interface: speech), without raw PCM. */
export const FILE_FORMATS: readonly SelectOption<ResponseFormat>[] = named('mp3', 'wav', 'opus', 'flac', 'aac').map(
  ({ value }) => ({ value, label: value === 'opus' ? 'Opus' : value.toUpperCase() }),
)

/** The format of a file. */
export function FormatField(
  props: Pick<SelectFieldProps<ResponseFormat>, 'value' | 'onChange' | 'hint'>,
): ReactElement {
  return <SelectField label="Format" options={FILE_FORMATS} {...props} />
}

/** A choice in a range. */
export function SliderField(
  props: Omit<FieldProps, 'children' | 'value'> & {
    readonly value: number
    readonly min: number
    readonly max: number
    readonly step: number
    /** Formats the value, e.g. `1.00 ×`. */
    readonly format: (value: number) => string
    readonly onChange: (value: number) => void
    readonly disabled?: boolean
  },
): ReactElement {
  const { label, hint, format, onChange, ...range } = props
  const text = format(range.value)
  return (
    <Field label={label} value={text} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          {...range}
          type="range"
          aria-valuetext={text}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
      )}
    </Field>
  )
}

/** A setting that is on or off. */
export function CheckField(props: {
  readonly label: string
  readonly hint: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}): ReactElement {
  const { label, hint, checked, onChange, disabled } = props
  const id = useId()
  return (
    <div className="field">
      <label className="check row gap-3 strong small">
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <p className="hint" id={id}>
        {hint}
      </p>
    </div>
  )
}

/** The text of an editor. Its label is for screen readers. */
export function TextArea(props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
  readonly placeholder?: string
  /** Maximum characters of the trimmed text. A longer text is invalid, not cut. */
  readonly limit?: number
  /** Id of the counter. */
  readonly describedBy?: string
  readonly ref?: Ref<HTMLTextAreaElement>
}): ReactElement {
  const { value, onChange, className = 'editor-short', placeholder, limit = Infinity, describedBy, ref } = props
  return (
    <textarea
      ref={ref}
      aria-label="Text"
      className={`editor-text ${className}`}
      value={value}
      placeholder={placeholder}
      aria-describedby={describedBy}
      aria-invalid={value.trim().length > limit}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** The length of a text: `1 character`, `5,000 characters`. */
export function Counter({ text, id }: { readonly text: string; readonly id?: string }): ReactElement {
  return (
    <span className="hint" id={id}>
      {text.length.toLocaleString('en')} {text.length === 1 ? 'character' : 'characters'}
    </span>
  )
}

/** What a panel sends, and the button and the keys that send it. Below it: how the last call ended, if `job` says it. */
export function Editor(
  props: Omit<RunButtonProps, 'busy' | 'label' | 'onStop'> & {
    /** For screen readers. */
    readonly label: string
    /** The verb of the button. */
    readonly action: string
    readonly job: Pick<Job, 'busy' | 'stop'> & Partial<Pick<Job, 'failure' | 'status'>>
    /** Whether the keys start it: its view is on the screen. @default the panel is */
    readonly active?: boolean
    /** Below the content, before the button: a counter or the state. */
    readonly foot?: ReactNode
    /** After a failure. @default `onRun` */
    readonly onRetry?: () => void
    readonly children: ReactNode
  },
): ReactElement {
  const { label, action, job, foot, children, ...rest } = props
  const panel = usePanel()
  const { active = panel.active, onRetry = rest.onRun, ...run } = rest
  useRun(active && run.ready && !job.busy, run.onRun)
  return (
    <>
      <section className="editor grid" aria-label={label}>
        {children}
        <div className="editor-foot row wraps gap-2 pad-item ruled">
          {foot ?? <span />}
          <RunButton {...run} busy={job.busy} label={action} onStop={job.stop} />
        </div>
      </section>
      {'failure' in job && <FailureBox failure={job.failure} onRetry={onRetry} />}
      {job.status !== undefined && <StatusLine text={job.status} />}
    </>
  )
}
