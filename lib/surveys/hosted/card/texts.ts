/** What is wrong with an answer; the page says it in its own language. */
export type Problem =
  | { code: "required" | "choose" | "choose_some" | "specify" | "email"; field: "answer" | "other" }
  | { code: "too_short" | "too_long"; limit: number; field: "answer" | "other" }
  | { code: "own"; message: string; field: "answer" };

/** The page's own texts, next to those of the team. */
export type Texts = {
  next: string;
  submit: string;
  back: string;
  skip: string;
  start: string;
  openLink: string;
  optional: string;
  question: (number: number, of: number | null) => string;
  chooseAny: string;
  other: (choice: string) => string;
  rating: (value: number, last: number) => string;
  thumbs: { up: string; down: string };
  hint: (min: number | null, max: number | null) => string | null;
  problemTitle: string;
  problems: Record<Exclude<Problem["code"], "own" | "too_short" | "too_long">, string>;
  tooShort: (limit: number) => string;
  tooLong: (limit: number) => string;
  thanks: string;
  recorded: string;
  closedTitle: string;
  closed: string;
  answeredTitle: string;
  answered: string;
  laterTitle: string;
  later: string;
  missingTitle: string;
  missing: string;
  brokenTitle: string;
  broken: string;
  restart: string;
  close: string;
  busy: string;
};

const en: Texts = {
  next: "Next",
  submit: "Submit",
  back: "Back",
  skip: "Skip",
  start: "Start",
  openLink: "Open the link",
  optional: "Optional",
  question: (number, of) => (of === null ? `Question ${number}` : `Question ${number} of ${of}`),
  chooseAny: "Choose all that apply.",
  other: (choice) => `${choice}: your own answer`,
  rating: (value, last) => `${value} of ${last}`,
  thumbs: { up: "Thumbs up", down: "Thumbs down" },
  hint: (min, max) =>
    min && max
      ? `${min} to ${max} characters`
      : min
        ? `At least ${min} characters`
        : max
          ? `At most ${max} characters`
          : null,
  problemTitle: "Please check your answer",
  problems: {
    required: "Please write an answer.",
    choose: "Please choose an answer.",
    choose_some: "Please choose at least one answer.",
    specify: "Please write your own answer.",
    email: "Please write an email address, such as name@example.com.",
  },
  tooShort: (limit) => `Please write at least ${limit} characters.`,
  tooLong: (limit) => `Please write at most ${limit} characters.`,
  thanks: "Thank you for your feedback!",
  recorded: "Your answers have been recorded.",
  closedTitle: "This survey is closed",
  closed: "It no longer accepts answers. Thank you for your interest.",
  answeredTitle: "You have already answered this survey",
  answered: "Your answers were recorded, and each person is asked once. Thank you!",
  laterTitle: "This survey is asking other people today",
  later: "It asks only some people each day. You are welcome to try again another day.",
  missingTitle: "There is no survey here",
  missing: "The address may be mistyped, or the survey has not started yet.",
  brokenTitle: "You cannot continue from this page",
  broken: "It has expired or was changed. The answers you already sent are safe.",
  restart: "Start again",
  close: "Close",
  busy: "Your answer could not be saved just now. Please send it again in a moment.",
};

const de: Texts = {
  ...en,
  next: "Weiter",
  submit: "Absenden",
  back: "Zurück",
  skip: "Überspringen",
  start: "Beginnen",
  openLink: "Link öffnen",
  optional: "Freiwillig",
  question: (number, of) => (of === null ? `Frage ${number}` : `Frage ${number} von ${of}`),
  chooseAny: "Wählen Sie alles aus, was zutrifft.",
  other: (choice) => `${choice}: eigene Antwort`,
  rating: (value, last) => `${value} von ${last}`,
  thumbs: { up: "Daumen hoch", down: "Daumen runter" },
  hint: (min, max) =>
    min && max
      ? `${min} bis ${max} Zeichen`
      : min
        ? `Mindestens ${min} Zeichen`
        : max
          ? `Höchstens ${max} Zeichen`
          : null,
  problemTitle: "Bitte prüfen Sie Ihre Antwort",
  problems: {
    required: "Bitte schreiben Sie eine Antwort.",
    choose: "Bitte wählen Sie eine Antwort.",
    choose_some: "Bitte wählen Sie mindestens eine Antwort.",
    specify: "Bitte schreiben Sie Ihre eigene Antwort.",
    email: "Bitte geben Sie eine E-Mail-Adresse an, etwa name@example.com.",
  },
  tooShort: (limit) => `Bitte schreiben Sie mindestens ${limit} Zeichen.`,
  tooLong: (limit) => `Bitte schreiben Sie höchstens ${limit} Zeichen.`,
  thanks: "Danke für Ihre Rückmeldung!",
  recorded: "Ihre Antworten wurden gespeichert.",
  closedTitle: "Diese Umfrage ist beendet",
  closed: "Sie nimmt keine Antworten mehr an. Danke für Ihr Interesse.",
  answeredTitle: "Sie haben diese Umfrage schon beantwortet",
  answered: "Ihre Antworten wurden gespeichert; alle werden nur einmal gefragt. Vielen Dank!",
  laterTitle: "Heute fragt diese Umfrage andere",
  later: "Sie fragt jeden Tag nur einige Menschen. Versuchen Sie es gern an einem anderen Tag.",
  brokenTitle: "Diese Seite lässt sich nicht fortsetzen",
  broken: "Sie wurde unterwegs verändert oder ist zu alt. Was Sie gesendet haben, ist nicht verloren.",
  restart: "Von vorn beginnen",
  close: "Schließen",
  busy: "Ihre Antwort konnte gerade nicht gespeichert werden. Bitte senden Sie sie gleich noch einmal.",
};

const fr: Texts = {
  ...en,
  next: "Suivant",
  submit: "Envoyer",
  back: "Retour",
  skip: "Passer",
  start: "Commencer",
  openLink: "Ouvrir le lien",
  optional: "Facultatif",
  question: (number, of) => (of === null ? `Question ${number}` : `Question ${number} sur ${of}`),
  chooseAny: "Choisissez toutes les réponses qui conviennent.",
  other: (choice) => `${choice} : votre réponse`,
  rating: (value, last) => `${value} sur ${last}`,
  thumbs: { up: "Pouce levé", down: "Pouce baissé" },
  hint: (min, max) =>
    min && max
      ? `De ${min} à ${max} caractères`
      : min
        ? `Au moins ${min} caractères`
        : max
          ? `${max} caractères au plus`
          : null,
  problemTitle: "Vérifiez votre réponse",
  problems: {
    required: "Veuillez écrire une réponse.",
    choose: "Veuillez choisir une réponse.",
    choose_some: "Veuillez choisir au moins une réponse.",
    specify: "Veuillez écrire votre réponse.",
    email: "Veuillez écrire une adresse e-mail, par exemple nom@example.com.",
  },
  tooShort: (limit) => `Veuillez écrire au moins ${limit} caractères.`,
  tooLong: (limit) => `Veuillez écrire ${limit} caractères au plus.`,
  thanks: "Merci pour votre avis !",
  recorded: "Vos réponses ont été enregistrées.",
  closedTitle: "Ce sondage est terminé",
  closed: "Il n’accepte plus de réponses. Merci de votre intérêt.",
  answeredTitle: "Vous avez déjà répondu à ce sondage",
  answered: "Vos réponses ont été enregistrées, et chaque personne n’est interrogée qu’une fois. Merci !",
  laterTitle: "Ce sondage interroge d’autres personnes aujourd’hui",
  later: "Il n’interroge que quelques personnes chaque jour. Revenez un autre jour.",
  brokenTitle: "Impossible de continuer cette page",
  broken: "Elle a été modifiée ou est trop ancienne. Ce que vous avez envoyé n’est pas perdu.",
  restart: "Recommencer",
  close: "Fermer",
  busy: "Votre réponse n’a pas pu être enregistrée. Veuillez la renvoyer dans un instant.",
};

const es: Texts = {
  ...en,
  next: "Siguiente",
  submit: "Enviar",
  back: "Atrás",
  skip: "Omitir",
  start: "Empezar",
  openLink: "Abrir el enlace",
  optional: "Opcional",
  question: (number, of) => (of === null ? `Pregunta ${number}` : `Pregunta ${number} de ${of}`),
  chooseAny: "Elija todas las que correspondan.",
  other: (choice) => `${choice}: su respuesta`,
  rating: (value, last) => `${value} de ${last}`,
  thumbs: { up: "Pulgar arriba", down: "Pulgar abajo" },
  hint: (min, max) =>
    min && max
      ? `De ${min} a ${max} caracteres`
      : min
        ? `Al menos ${min} caracteres`
        : max
          ? `${max} caracteres como máximo`
          : null,
  problemTitle: "Revise su respuesta",
  problems: {
    required: "Escriba una respuesta.",
    choose: "Elija una respuesta.",
    choose_some: "Elija al menos una respuesta.",
    specify: "Escriba su respuesta.",
    email: "Escriba una dirección de correo, por ejemplo nombre@example.com.",
  },
  tooShort: (limit) => `Escriba al menos ${limit} caracteres.`,
  tooLong: (limit) => `Escriba ${limit} caracteres como máximo.`,
  thanks: "¡Gracias por su opinión!",
  recorded: "Sus respuestas se han guardado.",
  closedTitle: "Esta encuesta está cerrada",
  closed: "Ya no admite respuestas. Gracias por su interés.",
  answeredTitle: "Ya ha respondido a esta encuesta",
  answered: "Sus respuestas se han guardado y a cada persona se le pregunta una sola vez. ¡Gracias!",
  laterTitle: "Hoy esta encuesta pregunta a otras personas",
  later: "Cada día pregunta solo a algunas personas. Puede volver a intentarlo otro día.",
  brokenTitle: "No se puede continuar esta página",
  broken: "Ha sido modificada o es demasiado antigua. Lo que envió no se ha perdido.",
  restart: "Empezar de nuevo",
  close: "Cerrar",
  busy: "Su respuesta no se ha podido guardar. Envíela otra vez en un momento.",
};

const ar: Texts = {
  ...en,
  next: "التالي",
  submit: "إرسال",
  back: "رجوع",
  skip: "تخطٍّ",
  start: "ابدأ",
  openLink: "افتح الرابط",
  optional: "اختياري",
  question: (number, of) => (of === null ? `السؤال ${number}` : `السؤال ${number} من ${of}`),
  chooseAny: "اختر كل ما ينطبق.",
  other: (choice) => `${choice}: إجابتك`,
  rating: (value, last) => `${value} من ${last}`,
  thumbs: { up: "إعجاب", down: "عدم إعجاب" },
  hint: (min, max) =>
    min && max
      ? `من ${min} إلى ${max} حرفًا`
      : min
        ? `${min} حرفًا على الأقل`
        : max
          ? `${max} حرفًا على الأكثر`
          : null,
  problemTitle: "يرجى مراجعة إجابتك",
  problems: {
    required: "يرجى كتابة إجابة.",
    choose: "يرجى اختيار إجابة.",
    choose_some: "يرجى اختيار إجابة واحدة على الأقل.",
    specify: "يرجى كتابة إجابتك.",
    email: "يرجى كتابة عنوان بريد إلكتروني، مثل name@example.com.",
  },
  tooShort: (limit) => `يرجى كتابة ${limit} حرفًا على الأقل.`,
  tooLong: (limit) => `يرجى كتابة ${limit} حرفًا على الأكثر.`,
  thanks: "شكرًا على رأيك!",
  recorded: "تم حفظ إجاباتك.",
  closedTitle: "هذا الاستبيان مغلق",
  closed: "لم يعد يقبل الإجابات. شكرًا لاهتمامك.",
  answeredTitle: "لقد أجبت عن هذا الاستبيان من قبل",
  answered: "تم تسجيل إجاباتك، ويُسأل كل شخص مرة واحدة فقط. شكرًا لك!",
  laterTitle: "هذا الاستبيان يسأل أشخاصًا آخرين اليوم",
  later: "يسأل بعض الأشخاص فقط كل يوم. يمكنك المحاولة في يوم آخر.",
  brokenTitle: "لا يمكن متابعة هذه الصفحة",
  broken: "تم تغييرها أو أنها قديمة جدًا. ما أرسلته لم يُفقد.",
  restart: "ابدأ من جديد",
  close: "إغلاق",
  busy: "تعذّر حفظ إجابتك الآن. يرجى إرسالها مرة أخرى بعد لحظات.",
};

const LANGUAGES: Record<string, Texts> = { en, de, fr, es, ar };

/** The page's own texts in a language if available, else in English. */
export function textsFor(language: string | null): { texts: Texts; lang: string } {
  const base = (language ?? "en").split("-")[0] ?? "en";
  const texts = LANGUAGES[base];
  return texts ? { texts, lang: language ?? "en" } : { texts: en, lang: language ?? "en" };
}

/** The message of a problem. */
export function problemText(texts: Texts, problem: Problem): string {
  if (problem.code === "own") return problem.message;
  if (problem.code === "too_short") return texts.tooShort(problem.limit);
  if (problem.code === "too_long") return texts.tooLong(problem.limit);
  return texts.problems[problem.code];
}

/** Letters of languages in Arabic script other than Arabic. */
const NOT_ARABIC = /[پچژگکیےۓٹڈڑ]/;

/** The language of a text if its letters show it and the page has texts in it; else null. */
export const languageOf = (text: string): string | null =>
  /\p{Script=Arabic}{2}/u.test(text) && !NOT_ARABIC.test(text) ? "ar" : null;

const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"]);
const STRONG = /\p{L}/u;
const STRONG_RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Text direction: by language, else by the first letter of the text. */
export function directionOf(language: string | null, text: string): "ltr" | "rtl" {
  if (language !== null) return RIGHT_TO_LEFT.has(language.split("-")[0] ?? "") ? "rtl" : "ltr";
  const [first = ""] = STRONG.exec(text) ?? [];
  return STRONG_RTL.test(first) ? "rtl" : "ltr";
}
