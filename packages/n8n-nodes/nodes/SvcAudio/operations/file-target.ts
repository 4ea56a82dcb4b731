import type { Item } from './item.ts'

/** Where an output file goes to. */
export interface FileTarget {
  /** Name of the binary field. */
  readonly field: string
  /** Name of the file, as the user chose it. */
  readonly fileName?: string
}

/** The binary field and the file name that the form names. */
export function fileTarget({ form }: Item): FileTarget {
  const fileName = form.optionalText('options.fileName')
  return { field: form.required('binaryPropertyName'), ...(fileName === undefined ? {} : { fileName }) }
}
