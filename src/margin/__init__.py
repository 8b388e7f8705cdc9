"""margin: classification that takes tables as they are, says how sure it is, and shows its work."""

from margin.lazy import attach

__version__ = "0.1.0"

#: The public names by the part that they live in; a part is a name itself.
_names = {
    "base": "TableEncoder",
    "baseline": "MajorityClassifier",
    "bayes": """
        BernoulliNB CalibratedClassifier CategoricalNB ComplementNB DiagonalLinearDiscriminantAnalysis GaussianNB
        JointBayes LinearDiscriminantAnalysis MultinomialNB NaiveBayes QuadraticDiscriminantAnalysis
        ThresholdClassifier bayes_rule
    """,
    "boosting": """
        AdaBoostClassifier AdaBoostMHClassifier AdaBoostRegressor BrownBoostClassifier GentleBoostClassifier
        GradientBoostingClassifier GradientBoostingRegressor LPBoostClassifier LogitBoostClassifier RUSBoostClassifier
    """,
    "data": "Table read scan",
    "deep": """
        CycleGAN DCGAN FeatureClassifier FeatureExtractor GAN ImageClassifier MLPClassifier MLPRegressor Pixels
        SequenceClassifier SequenceModel TorchClassifier generative_report
    """,
    "distributed": "",
    "ensemble": """
        BaggingClassifier BaggingRegressor ExtraTreesClassifier ExtraTreesRegressor GatedClassifier
        RandomForestClassifier RandomForestRegressor StackingClassifier StackingRegressor VotingClassifier
        VotingRegressor measure_out_of_bag
    """,
    "evaluation": """
        bias_variance bias_variance_curve brier_decomposition calibration_curve compare_on compare_scores confusion
        evaluate gain_curve measure measure_multilabel precision_recall_curve risk_coverage roc_curve
    """,
    "experiment": "",
    "explain": "",
    "export": "",
    "features": "PolynomialFeatures QuadraticFeatures",
    "interop": "from_lightgbm from_sklearn from_xgboost",
    "linear": """
        ActivePerceptron Adaline LinearSGD LogisticRegression LogisticRegressionCV Perceptron hard_margin
        logistic_path loss_family odds odds_text separation
    """,
    "multiclass": "ClassifierChain ErrorCorrectingCodes OneVsOne OneVsRest",
    "neighbors": """
        KNeighborsClassifier KNeighborsRegressor NearestCentroid RadiusNeighborsClassifier RadiusNeighborsRegressor
        RoteClassifier choose_k condense curse decision_regions edge_length edit kd_cuts voronoi_edges
    """,
    "persistence": "",
    "plots": """
        plot_backpropagation plot_bias_variance plot_boosting_curve plot_calibration plot_class_means
        plot_coefficients plot_comparison plot_confusion plot_critical_difference plot_curse plot_densities
        plot_ellipses plot_gains plot_importances plot_k_choice plot_kd_tree plot_learning_curve plot_losses
        plot_margin plot_memory plot_network plot_optimizer_paths plot_out_of_bag plot_partial_dependence plot_path
        plot_precision_recall plot_proximities plot_rate_finder plot_regions plot_risk_coverage plot_roc
        plot_shap_case plot_shap_summary plot_training plot_transformed_space plot_tree plot_tree_correlation
        plot_tree_size plot_validation_curve
    """,
    "report": "",
    "selection": """
        GridSearch HalvingSearch LogSearch RandomSearch audit knee learning_curve nested validation_curve
    """,
    "svm": """
        LinearSVC LinearSVR NuSVC ObjectKernel OneClassSVM PegasosClassifier Reject SVC SVR SpectrumKernel
        check_kernel choose_C explicit_map kernel_matrix svm_path
    """,
    "tree": "C45 DecisionStump DecisionTreeClassifier DecisionTreeRegressor Discretizer ID3",
    "zoo": "",
}
_homes = {name: f"margin.{part}" for part, names in _names.items() for name in (*names.split(), part)}
_homes["compare"] = "margin.experiment.whole_job"  # margin.experiment.compare is the module of its steps

__all__ = sorted(_homes)
__getattr__, __dir__ = attach(__name__, _homes)
