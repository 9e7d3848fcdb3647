const NAME = "switchyard_session";

/**
 * The cookie that holds the session. Over TLS its name has a prefix with which browsers take it from this host only,
 * and only over TLS.
 *
 * @param isSecure whether the client speaks TLS
 */
export const sessionCookie = (isSecure: boolean) =>
  ({
    name: isSecure ? `__Host-${NAME}` : NAME,
    attributes: {
      httpOnly: true,
      // Not "strict": a link to a flag, opened from a chat or a mail, has to arrive signed in.
      sameSite: "lax",
      secure: isSecure,
      path: "/",
    },
  }) as const;
