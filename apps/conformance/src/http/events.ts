import { ensure, Violation } from '../check.ts'
import { type Answer, type Fields, isFields } from './answer.ts'

/** The lines of an event stream that are neither empty nor comments. */
export function eventLines({ text }: Answer): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '' && !line.startsWith(':'))
}

/**
 * The events of a stream whose frames are one `data:` line each (interface: Events).
 * @throws Violation for any other line, or when one is not a JSON object with a `type`
 */
export function readEvents(answer: Answer): Fields[] {
  return eventLines(answer).map((line) => {
    ensure(line.startsWith('data:'), `${answer.call} sent a line that is no data: ${line.slice(0, 100)}`)
    const event = parse(line.slice('data:'.length))
    if (isFields(event) && typeof event['type'] === 'string') return event
    throw new Violation(`${answer.call} sent an event that is no JSON object with a type: ${line.slice(0, 100)}`)
  })
}

/** Events of one type. */
export function eventsOf(events: readonly Fields[], type: string): Fields[] {
  return events.filter((event) => event['type'] === type)
}

/** The one event of a type. @throws Violation when there is none, or more than one */
export function theEvent(events: readonly Fields[], type: string): Fields {
  const [event, second] = eventsOf(events, type)
  if (event === undefined) throw new Violation(`the stream has no ${type}`)
  ensure(second === undefined, `the stream has more than one ${type}`)
  return event
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
