# Shares of true answers, read from randomised ones, with standard errors: the numbers of RR Workbench, in R alone (4.0 or newer).
#
#   Rscript shares.R mechanism.json answers.csv               each question on its own
#   Rscript shares.R mechanism.json answers.csv sex smokes    two questions together
#
# or, in R:
#
#   source("shares.R")
#   file <- rr_mechanism("mechanism.json")
#   answers <- rr_answers("answers.csv", file)
#   rr_shares(file, answers, c("sex", "smokes"))
#
# It serves every kind of weights that a mechanism file may hold, of versions 1 to 5, one file at a time, with tables (CSV, the export of
# 'rrcore answers') and with the lines of the respondents' form. Shares are unbiased, so that some may lie below 0 or above 1; errors are
# those of a simple random sample, against the population. For weights, strata and clusters give what 'rr_scores' returns to the package
# 'survey': a share is the mean of its scores. It does not serve joint shares of questions some of whose combinations were declared
# impossible, nor groups with mechanism files of their own. With a control item shares are those of everybody, as they were answered:
# people who did not follow the instructions are not taken out. Nothing is installed, JSON is read by the lines below.

# --- the mechanism file ---------------------------------------------------------------------------------------------------------------

# The value that lines of JSON hold: lists with and without names, texts, numbers as numbers.
rr_json <- function(lines) {
  pattern <- '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|-?[0-9][0-9.eE+-]*|true|false|null|[\\[\\]{}:,]'
  tokens <- unlist(regmatches(lines, gregexpr(pattern, lines, perl = TRUE)))
  at <- 0
  value <- function() {
    at <<- at + 1
    token <- tokens[at]
    if (is.na(token)) stop("The file ends too early: it is not whole.", call. = FALSE)
    if (token == "{" || token == "[") return(inside(token == "{"))
    if (startsWith(token, '"')) return(rr_text(token))
    switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token))
  }
  inside <- function(named) {
    found <- list()
    keys <- character()
    end <- if (named) "}" else "]"
    while (!identical(tokens[at + 1], end)) {
      if (named) {
        keys[length(keys) + 1] <- rr_text(tokens[at + 1])
        at <<- at + 2 # and the colon
      }
      found[length(found) + 1] <- list(value())
      if (identical(tokens[at + 1], ",")) at <<- at + 1
    }
    at <<- at + 1
    if (named) names(found) <- keys
    found
  }
  value()
}

# A text of JSON without its quotation marks and escapes.
rr_text <- function(token) {
  text <- substr(token, 2, nchar(token) - 1)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  parts <- regmatches(text, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", text, perl = TRUE))[[1]]
  plain <- c("\\n" = "\n", "\\t" = "\t", "\\r" = "\r", "\\b" = "\b", "\\f" = "\f")
  codes <- integer()
  for (part in parts) {
    own <- if (startsWith(part, "\\u")) strtoi(substring(part, 3), 16L)
      else if (part %in% names(plain)) utf8ToInt(plain[[part]])
      else utf8ToInt(enc2utf8(sub("^\\\\", "", part)))
    last <- length(codes)
    if (startsWith(part, "\\u") && own >= 0xDC00 && own <= 0xDFFF && last > 0 && codes[last] >= 0xD800 && codes[last] <= 0xDBFF)
      codes[last] <- 0x10000 + (codes[last] - 0xD800) * 0x400 + (own - 0xDC00) # two halves of one character
    else codes <- c(codes, own)
  }
  intToUtf8(codes)
}

# The mechanism file at a path.
rr_mechanism <- function(path) {
  document <- rr_json(readLines(path, encoding = "UTF-8", warn = FALSE))
  if (!is.list(document) || !identical(document[["format"]], "rr-workbench mechanism"))
    stop(sprintf("'%s' is no mechanism file: choose the file that the answers were randomised by.", path), call. = FALSE)
  if (document[["version"]] > 5)
    stop(sprintf("'%s' is of version %g, and this script knows versions 1 to 5: make it anew with the program that wrote the file.",
                 path, document[["version"]]), call. = FALSE)
  questions <- lapply(document[["attributes"]], function(each) {
    categories <- unlist(each[["categories"]])
    reports <- unlist(each[["reports"]])
    list(categories = categories, reports = if (is.null(reports)) categories else reports)
  })
  names(questions) <- vapply(document[["attributes"]], function(each) each[["name"]], "")
  list(questions = questions, groups = document[["randomization"]], impossible = document[["impossible"]], sha256 = document[["sha256"]])
}

# Logarithms of whole numbers that are written in any number of digits.
rr_log <- function(texts) {
  texts <- as.character(unlist(texts))
  log(as.numeric(paste0("0.", substr(texts, 1, 30)))) + nchar(texts) * log(10)
}

# Logarithms as shares of their sum.
rr_parts <- function(logs) {
  found <- exp(logs - max(logs))
  found / sum(found)
}

# Probabilities of each report (column) for each combination of true answers (row) to the questions 'wanted' of one group, which are
# positions within it; the first question runs fastest.
rr_channel_of_group <- function(group, sizes, wanted) {
  if (!is.null(group[["matrix"]])) {
    rows <- lapply(group[["matrix"]], function(row) rr_parts(rr_log(row)))
    return(do.call(rbind, rows))
  }
  patterns <- as.matrix(expand.grid(rep(list(0:1), length(wanted)))) # who reports falsely, among those wanted
  if (!is.null(group[["kinds"]])) {
    kinds <- as.integer(unlist(group[["kinds"]]))
    chances <- rr_chances_of_counts(group, kinds, sizes, rep(seq_along(kinds), kinds)[wanted], patterns)
    uniform <- 0
  } else {
    logs <- rr_log(c(group[["uniform"]], group[["lies"]]))
    shares <- rr_parts(logs)
    uniform <- shares[1]
    lying <- do.call(rbind, strsplit(names(group[["lies"]]), ""))[, wanted, drop = FALSE]
    own <- apply(lying, 1, paste, collapse = "")
    each <- apply(patterns, 1, paste, collapse = "")
    chances <- vapply(each, function(pattern) sum(shares[-1][own == pattern]), 0)
  }
  a <- sizes[wanted]
  channel <- matrix(uniform / prod(a), prod(a), prod(a))
  for (row in which(chances > 0)) {
    axes <- Map(function(size, lie) if (lie) (1 - diag(size)) / (size - 1) else diag(size), a, patterns[row, ])
    channel <- channel + chances[row] * Reduce(function(first, last) kronecker(last, first), axes)
  }
  channel
}

# How likely exactly the questions of each pattern are reported falsely, where weights are by counts of lies of each kind.
rr_chances_of_counts <- function(group, kinds, sizes, kind_of, patterns) {
  counts <- as.matrix(rev(expand.grid(rev(lapply(kinds, function(number) 0:number))))) # the last kind runs fastest
  others <- sizes[cumsum(kinds)] - 1
  logs <- rr_log(group[["records"]])
  for (t in seq_along(kinds)) logs <- logs + lchoose(kinds[t], counts[, t]) + counts[, t] * log(others[t])
  shares <- rr_parts(logs)
  apply(patterns, 1, function(pattern) {
    chance <- shares
    for (t in seq_along(kinds)) {
      seen <- sum(kind_of == t)
      lies <- sum(pattern[kind_of == t])
      chance <- chance * choose(kinds[t] - seen, counts[, t] - lies) / choose(kinds[t], counts[, t])
    }
    sum(chance)
  })
}

# What turns reports into shares: 'channel' and 'inverse' over all combinations of the questions 'asked', the first one running fastest.
rr_channel <- function(file, asked) {
  strangers <- setdiff(asked, names(file$questions))
  if (length(strangers) || anyDuplicated(asked))
    stop(sprintf("'%s' is no question of the mechanism file, or named twice: choose among %s.", c(strangers, asked)[1],
                 paste(names(file$questions), collapse = ", ")), call. = FALSE)
  number <- function(what) vapply(file$questions[asked], function(each) length(each[[what]]), 0L)
  if (max(prod(number("categories")), prod(number("reports"))) > 2000)
    stop("These questions have more than 2,000 combinations: ask for fewer together.", call. = FALSE)
  channel <- inverse <- matrix(1)
  order <- integer()
  for (group in file$groups) {
    members <- unlist(group[["attributes"]])
    places <- which(asked %in% members)
    if (!length(places)) next
    sizes <- vapply(file$questions[members], function(each) length(each$categories), 0L)
    own <- rr_channel_of_group(group, sizes, match(asked[places], members))
    root <- sqrt(colSums(own))
    scaled <- sweep(own, 2, root, "/")
    if (ncol(own) < nrow(own) || min(svd(scaled, 0, 0)$d) < 1e-6)
      stop(sprintf("%s cannot be read: the mechanism erases what would be needed.", paste0("'", asked[places], "'", collapse = " with ")),
           call. = FALSE)
    channel <- kronecker(own, channel)
    inverse <- kronecker(sweep(qr.coef(qr(t(scaled)), diag(ncol(own))), 2, root, "/"), inverse)
    order <- c(order, places)
  }
  places <- function(what) c(aperm(array(seq_len(prod(number(what))), number(what)[order]), order(order)))
  list(channel = channel[places("categories"), places("reports"), drop = FALSE],
       inverse = inverse[places("categories"), places("reports"), drop = FALSE])
}

# --- answers --------------------------------------------------------------------------------------------------------------------------

# The number of each report, a column for each question: NA where an answer is missing. Rows that cannot be used are left out, which is said.
rr_answers <- function(path, file) {
  first <- trimws(readLines(path, n = 1, encoding = "UTF-8", warn = FALSE))
  if (!length(first)) stop(sprintf("'%s' is empty: choose the file of the answers.", path), call. = FALSE)
  table <- if (startsWith(sub("^\ufeff", "", first), "{")) rr_lines(path, file) else rr_table(path, file, first)
  codes <- table$texts
  bad <- table$bad
  for (name in names(file$questions)) {
    reports <- file$questions[[name]]$reports
    written <- c(reports, trimws(reports), ifelse(grepl("^[-=+@\t\r]", reports), paste0("'", reports), reports)) # safe for spreadsheets
    code <- (match(codes[[name]], written) - 1) %% length(reports) + 1
    bad <- bad | (is.na(code) & codes[[name]] != "")
    codes[[name]] <- code
  }
  empty <- rowSums(!is.na(codes)) == 0 & !bad
  if (any(bad | empty))
    message(sprintf("%d rows left out: %d with something that is no report, %d without any answer.", sum(bad | empty), sum(bad), sum(empty)))
  codes[!bad & !empty, , drop = FALSE]
}

# A table: columns are called as the questions, and others are ignored. Its last row may name the mechanism file (column rr_release).
rr_table <- function(path, file, first) {
  many <- function(sign) lengths(regmatches(first, gregexpr(sign, first, fixed = TRUE)))
  separator <- c(",", ";", "\t")[which.max(c(many(","), many(";"), many("\t")))]
  table <- read.csv(path, sep = separator, colClasses = "character", check.names = FALSE, na.strings = character(), encoding = "UTF-8",
                    quote = "\"", strip.white = TRUE, blank.lines.skip = TRUE)
  Encoding(names(table)) <- "UTF-8"
  names(table) <- trimws(sub("^\ufeff", "", names(table)))
  safe <- paste0("'", names(file$questions)) # for spreadsheets
  names(table) <- ifelse(names(table) %in% safe & !names(table) %in% names(file$questions), substring(names(table), 2), names(table))
  if (any(grepl("simulation.*seed.*not a release", names(table), ignore.case = TRUE)))
    message("These answers are a simulation: not a release, and nobody's.")
  lacking <- setdiff(names(file$questions), names(table))
  if (length(lacking))
    stop(sprintf("'%s' has no column '%s': columns must be called as the questions of the mechanism file.", path, lacking[1]), call. = FALSE)
  trailer <- Filter(nzchar, if (is.null(table[["rr_release"]])) "" else table[["rr_release"]])
  named <- sub("^mechanism ([0-9a-f]{64}) .*$", "\\1", trailer)
  if (any(named != file$sha256)) rr_refuse_other(path)
  texts <- as.data.frame(lapply(table[names(file$questions)], trimws), check.names = FALSE)
  list(texts = texts, bad = rep(FALSE, nrow(texts)))
}

# The lines of the respondents' form: one of JSON for each person. What was handed in twice counts once.
rr_lines <- function(path, file) {
  lines <- readLines(path, encoding = "UTF-8", warn = FALSE)
  lines <- sub("^\ufeff", "", lines)
  each <- lapply(lines[grepl("[^[:space:]]", lines)], rr_json)
  others <- vapply(each, function(one) !identical(one[["mechanism"]], file$sha256), NA)
  if (all(others)) rr_refuse_other(path)
  receipts <- vapply(each, function(one) if (is.null(one[["receipt"]])) NA_character_ else one[["receipt"]], "")
  again <- duplicated(receipts) & !is.na(receipts)
  column <- function(name) vapply(each, function(one) {
    said <- one[["answers"]][[name]]
    if (is.null(said)) "" else said
  }, "")
  texts <- as.data.frame(lapply(names(file$questions), column))
  names(texts) <- names(file$questions)
  list(texts = texts, bad = others | again)
}

rr_refuse_other <- function(path)
  stop(sprintf("The answers in '%s' were randomised by another mechanism file: choose the file of this survey.", path), call. = FALSE)

# --- shares ---------------------------------------------------------------------------------------------------------------------------

# All combinations of answers to the questions 'asked', the first one running fastest.
rr_cells <- function(file, asked) expand.grid(lapply(file$questions[asked], `[[`, "categories"), stringsAsFactors = FALSE)

# What each answer adds to each share, a row for each answer to all of the questions 'asked' and a column for each combination.
rr_scores <- function(file, answers, asked) {
  known <- stats::complete.cases(answers[asked])
  t(rr_channel(file, asked)$inverse)[rr_place(file, answers[known, asked, drop = FALSE]), , drop = FALSE]
}

# The number of each row among all combinations of reports, the first question running fastest.
rr_place <- function(file, codes) {
  sizes <- vapply(file$questions[names(codes)], function(each) length(each$reports), 0L)
  1 + as.vector((as.matrix(codes) - 1) %*% c(1, cumprod(sizes)[-length(sizes)]))
}

# The shares of all combinations of true answers to the questions 'asked', with their standard errors and the number of answers.
rr_shares <- function(file, answers, asked) {
  known <- answers[stats::complete.cases(answers[asked]), asked, drop = FALSE]
  n <- nrow(known)
  if (n < 2) stop("There are fewer than two answers: no error can be estimated.", call. = FALSE)
  if (any(vapply(file$impossible, function(rule) all(unlist(rule[["attributes"]]) %in% asked), NA)))
    stop("Some combinations of these questions were declared impossible: ask for each alone here, or read them together with RR Workbench.",
         call. = FALSE)
  both <- rr_channel(file, asked)
  released <- tabulate(rr_place(file, known), ncol(both$channel)) / n
  share <- as.vector(both$inverse %*% released)
  cbind(rr_cells(file, asked), data.frame(share = share, standard_error = rr_error(both, share, released, n), answers = n))
}

# The probability distribution nearest to some shares.
rr_nearest <- function(shares) {
  ordered <- sort(shares, decreasing = TRUE)
  last <- max(which(ordered > (cumsum(ordered) - 1) / seq_along(ordered)))
  pmax(shares - (sum(ordered[1:last]) - 1) / last, 0)
}

# Standard errors. The variance of what one answer adds is seen in the answers, and expected from the estimated shares where there are too
# few of them: 'trust' says how far the former is known.
rr_error <- function(both, raw, released, n) {
  x <- rr_nearest(raw)
  moment <- function(power, reports) as.vector(both$inverse^power %*% reports)
  expected <- as.vector(t(both$channel) %*% x)
  second <- moment(2, expected)
  third <- moment(3, expected)
  spread <- pmax(second - x^2, .Machine$double.xmin)
  explained <- (third - second * x) / spread
  unsure <- pmax(moment(4, expected) - second^2 - explained^2 * spread, 0) / (n * pmax(second^2, .Machine$double.xmin))
  trust <- 1 / (1 + 5 * unsure)
  certain <- x > 1 - 1e-9 # then this answer alone says how its share varies
  own <- function(power) rowSums(both$channel * both$inverse^power)
  second[certain] <- rr_at(own(2), moment(2, colMeans(both$channel)), x, certain)
  third[certain] <- rr_at(own(3), moment(3, colMeans(both$channel)), x, certain)
  least <- pmax(second - x^2, 1e-12 * pmax(second, 1))
  seen <- moment(2, released) - (third - x * second) / least * (raw - x)
  variance <- pmax((1 - trust) * second + trust * seen - x^2, 0.25 * least)
  sqrt(variance / (n - 1))
}

# A moment where the share is x, the other answers being equally common; 'even' is that of equal shares.
rr_at <- function(own, even, x, certain) {
  others <- (length(own) * even - own) / (length(own) - 1)
  (others + x * (own - others))[certain]
}

# --- the command line -----------------------------------------------------------------------------------------------------------------

rr_written <- function(table) {
  quoted <- function(text) paste0('"', gsub('"', '""', enc2utf8(text), fixed = TRUE), '"')
  columns <- lapply(table, function(each) if (is.numeric(each)) sprintf("%.15g", each) else quoted(each))
  writeLines(c(paste(quoted(names(table)), collapse = ","), do.call(paste, c(unname(columns), sep = ","))), useBytes = TRUE)
}

rr_main <- function(words) {
  if (length(words) < 2) stop("Give the mechanism file and the answers: Rscript shares.R mechanism.json answers.csv", call. = FALSE)
  file <- rr_mechanism(words[1])
  answers <- rr_answers(words[2], file)
  if (length(words) > 2) {
    asked <- words[-(1:2)]
    Encoding(asked) <- "UTF-8"
    return(rr_written(rr_shares(file, answers, asked)))
  }
  found <- lapply(names(file$questions), function(name) tryCatch({
    table <- rr_shares(file, answers, name)
    names(table)[1] <- "answer"
    cbind(question = name, table)
  }, error = function(problem) message(conditionMessage(problem))))
  rr_written(do.call(rbind, found))
}

if (sys.nframe() == 0 && !interactive()) rr_main(commandArgs(trailingOnly = TRUE))
