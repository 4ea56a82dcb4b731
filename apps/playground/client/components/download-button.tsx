import { type ReactElement, useState } from 'react'
import { failureOf } from '../lib/failure.ts'
import { Button } from './button.tsx'

/** Options of {@link DownloadButton}. */
export interface DownloadButtonProps {
  /** Makes the file when the button is pressed. `undefined` disables the button. */
  readonly file: (() => Blob | Promise<Blob>) | undefined
  readonly name: string
  /** @default 'Download' */
  readonly label?: string
  readonly small?: boolean
}

/** Saves a file from memory. */
export function DownloadButton({ file, name, label = 'Download', small = false }: DownloadButtonProps): ReactElement {
  const [refusal, setRefusal] = useState<string>()
  const save = async (): Promise<void> => {
    if (file === undefined) return
    setRefusal(undefined)
    try {
      saveFile(await file(), name)
    } catch (error) {
      setRefusal(failureOf(error).message)
    }
  }
  return (
    <>
      <Button
        icon="download"
        {...(small ? { look: 'small' } : {})}
        disabled={file === undefined}
        onClick={() => void save()}
      >
        {label}
      </Button>
      {refusal !== undefined && (
        <span className="error-text" role="alert">
          {refusal}
        </span>
      )}
    </>
  )
}

/** Saves a file in the browser's folder of downloads. */
function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
