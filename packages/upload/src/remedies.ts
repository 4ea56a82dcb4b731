/**
 * Types of options that other options exclude. Such an option has a text as its type, so an editor shows the remedy:
 * `Type 'number' is not assignable to type '"needs respond: 'pcm' or 'sse'"'`. The check at run time refuses any value.
 */
export interface Remedies {
  /** For options of tasks. */
  readonly task: "needs respond: 'task'"
  /** For options of a transcription as JSON. */
  readonly json: "needs respond: 'json'"
  /** For options of streamed speech. */
  readonly stream: "needs respond: 'pcm' or 'sse'"
  /** For the format of streamed speech. */
  readonly format: "is always pcm with respond: 'pcm' or 'sse': leave it out"
  /** For options that the standard model does not have. */
  readonly model: 'needs the model svc-transcribe-diarize-pro'
}

/**
 * A second parameter that nobody passes. Frameworks pass a request there, so a factory in the place of its handler does not
 * compile, and the message shows this text.
 */
export type Uncalled<Name extends string> = `call ${Name}({ … }), do not pass it`
