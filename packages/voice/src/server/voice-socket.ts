/** What the server needs of a WebSocket. Frameworks have their own classes. */
export interface VoiceSocket {
  /** Sends a text or a binary frame. */
  send(data: string | Uint8Array): void
  /** Closes the connection. */
  close(code: number, reason: string): void
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
}

/** The request that became a WebSocket. */
export interface VoiceRequest {
  /** Path and query, such as `/voice?room=3`. */
  readonly url: string
  /** Its headers. */
  readonly headers: Headers
}

/** A connection, for the adapter that owns its socket. */
export interface VoiceConnection {
  /** A frame of the client: a string for text, bytes for a binary frame. */
  receive(data: string | Uint8Array): void
  /** The socket is closed, by either side. */
  closed(): void
}
