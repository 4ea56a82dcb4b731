import { type ReactElement, type ReactNode, useId } from 'react'

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
      <div className="field-head">
        <label htmlFor={id}>{label}</label>
        {value !== undefined && <span className="field-value">{value}</span>}
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

/** A choice of a {@link SelectField}. */
export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** Options of {@link SelectField}. */
export interface SelectFieldProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly SelectOption<Value>[]
  readonly onChange: (value: Value) => void
  readonly hint?: ReactNode
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

/** Options of {@link SliderField}. */
export interface SliderFieldProps {
  readonly label: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  /** Formats the value, e.g. `1.00 ×`. */
  readonly format: (value: number) => string
  readonly onChange: (value: number) => void
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

/** A choice in a range. */
export function SliderField(props: SliderFieldProps): ReactElement {
  const { label, value, min, max, step, format, onChange, hint, disabled = false } = props
  return (
    <Field label={label} value={format(value)} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          type="range"
          min={min}
          max={max}
          step={step}
          value={value}
          disabled={disabled}
          aria-valuetext={format(value)}
          style={{ '--share': `${((value - min) / (max - min)) * 100}%` }}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
      )}
    </Field>
  )
}
