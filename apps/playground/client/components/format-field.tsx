import type { ResponseFormat } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { type SelectOption, SelectField } from './field.tsx'

/** The formats of audio files that the service makes (interface: speech), without raw PCM. */
export const FILE_FORMATS: readonly SelectOption<ResponseFormat>[] = [
  { value: 'mp3', label: 'MP3' },
  { value: 'wav', label: 'WAV' },
  { value: 'opus', label: 'Opus' },
  { value: 'flac', label: 'FLAC' },
  { value: 'aac', label: 'AAC' },
]

/** Options of {@link FormatField}. */
export interface FormatFieldProps {
  readonly value: ResponseFormat
  readonly onChange: (format: ResponseFormat) => void
  readonly hint?: string
}

/** The format of a file. */
export function FormatField({ value, onChange, hint }: FormatFieldProps): ReactElement {
  return <SelectField label="Format" value={value} options={FILE_FORMATS} onChange={onChange} hint={hint} />
}
