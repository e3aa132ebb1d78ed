# Random intercepts and correlations by R's RRreg: run `Rscript rrreg.R` here to write mixed.csv, correlation.csv and results.csv anew.
# It needs the packages RRreg (0.7.6) and lme4 (1.1-31); the data are those of the examples in ?RRmixed and ?RRcor, with their seed.
library(RRreg)
library(lme4)
options(digits = 15)

found <- data.frame(what = character(), value = numeric())
keep <- function(what, value) found <<- rbind(found, data.frame(what = what, value = value))

# ?RRmixed
set.seed(1234)
d <- data.frame(group = factor(rep(LETTERS[1:20], each = 50)), cov = round(rnorm(20 * 50), 6))
d$true <- simulate(~ cov + (1 | group), newdata = d, family = binomial(link = "logit"),
  newparams = list(beta = c("(Intercept)" = -.5, cov = 1), theta = c("group.(Intercept)" = .8)))[[1]]
p <- c(true0 = .1, true1 = .2)
d$resp <- RRgen(model = "FR", p = p, trueState = d$true)$response
fits <- list(
  # as in the example: Laplace's approximation; the tolerance is that of the optimiser
  laplace = RRmixed(resp ~ cov + (1 | group), data = d, model = "FR", p = p,
    control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9))),
  # the integral itself, by adaptive quadrature
  quadrature = RRmixed(resp ~ cov + (1 | group), data = d, model = "FR", p = p, nAGQ = 25,
    control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9))))
for (name in names(fits)) {
  keep(paste(name, "intercept"), fixef(fits[[name]])[[1]])
  keep(paste(name, "cov"), fixef(fits[[name]])[[2]])
  keep(paste(name, "deviation"), attr(VarCorr(fits[[name]])$group, "stddev")[[1]])
  keep(paste(name, "intercept error"), sqrt(vcov(fits[[name]])[1, 1]))
  keep(paste(name, "cov error"), sqrt(vcov(fits[[name]])[2, 2]))
}
write.csv(d[c("group", "cov", "resp")], "mixed.csv", row.names = FALSE, quote = FALSE)

# ?RRcor, which has no seed of its own
set.seed(1234)
n <- 1000
p1 <- c(.3, .7)
g <- RRgen(n, pi = .3, model = "Kuk", p1)
p2 <- c(.8, .5)
t2 <- rbinom(n = n, size = 1, prob = (g$true + 1) / 2)
u <- RRgen(model = "UQTknown", p = p2, trueState = t2)
g$uqt <- u$response
g$cov <- round(rnorm(n, 0, 4) + u$true + g$true, 6)
r <- RRcor(x = g[, c("response", "cov", "uqt")], models = c("Kuk", "d", "UQTknown"), p.list = list(p1, p2))$r
keep("response and cov", r[1, 2])
keep("response and uqt", r[1, 3])
keep("cov and uqt", r[2, 3])
for (one in list(list("Kuk", p1), list("UQTknown", p2), list("FR", p))) {
  how <- getPW(one[[1]], one[[2]])  # how often 1 is reported by those whose answer is 0 and 1
  keep(paste(one[[1]], "from 0"), how[2, 1])
  keep(paste(one[[1]], "from 1"), how[2, 2])
}
write.csv(g[c("response", "cov", "uqt")], "correlation.csv", row.names = FALSE, quote = FALSE)

# Heck and Moshagen (2018), section 4.2: what the correlations of the survey on minarets are made of
data("minarets")
m <- subset(minarets, RRdesign == 1)
r <- RRcor(x = m[, c("rrt", "age", "leftRight")], models = c("SLD", "d", "d"), p.list = list(c(2 / 12, 10 / 12)), group = m$condition)$r
keep("rrt and age", r[1, 2])
keep("rrt and leftRight", r[1, 3])
whole <- RRuni(response = rrt, data = m, model = "SLD", p = c(2 / 12, 10 / 12), group = condition)
keep("minarets share", whole$pi)
keep("minarets truthful", whole$t)
for (condition in 1:2) for (said in 0:1) {
  part <- m[m$condition == condition & m$rrt == said, ]
  name <- paste("minarets", condition, said)
  keep(paste(name, "people"), nrow(part))
  for (column in c("age", "leftRight")) {
    keep(paste(name, column, "mean"), mean(part[[column]]))
    keep(paste(name, column, "deviation"), sqrt(mean((part[[column]] - mean(part[[column]]))^2)))
  }
}
found$value <- sprintf("%.15g", found$value)
write.csv(found, "results.csv", row.names = FALSE, quote = FALSE)
