import type { Subject } from './subject.ts'

/**
 * Creates a fixture once per subject and shares it among the checks. A failure is stored too, so each check reports it.
 * @param make Creates the fixture. Its arguments select a variant: values of JSON, or `undefined`.
 */
export function shared<T, Words extends readonly unknown[]>(
  make: (subject: Subject, ...words: Words) => Promise<T>,
): (subject: Subject, ...words: Words) => Promise<T> {
  const all = new WeakMap<Subject, Map<string, Promise<T>>>()
  return (subject, ...words) => {
    const made = all.get(subject) ?? new Map<string, Promise<T>>()
    all.set(subject, made)
    const key = JSON.stringify(words, (_, value: unknown) => (value === undefined ? '(left out)' : value))
    const one = made.get(key) ?? make(subject, ...words)
    made.set(key, one)
    return one
  }
}
